import { expect, it } from "vitest";
import { MemoryTable } from "../../src/memory/memory-table.ts";

it("a level is kept until its time is over, and gone for good with the next one that is remembered", () => {
  const table = new MemoryTable();
  table.rememberLevel("first", 1, 2_000, 1_000);
  table.rememberLevel("lasting", 2, 9_000, 1_000);
  table.rememberLevel("early", 3, 9_000, 1_999);
  // As of time 0 everything counts that is there.
  expect(["first", "lasting", "early"].map((id) => table.rememberedLevel(id, 0))).toEqual([1, 2, 3]);
  table.rememberLevel("next", 4, 9_000, 2_000);
  expect(["first", "lasting", "early", "next"].map((id) => table.rememberedLevel(id, 0))).toEqual([undefined, 2, 3, 4]);
});
