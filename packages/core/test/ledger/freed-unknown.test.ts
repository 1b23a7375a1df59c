import { expect, it } from "vitest";
import type { GroupRow } from "../../src/ledger/index.ts";
import { MemoryTable } from "../../src/memory/memory-table.ts";
import { Group } from "./support/group.ts";

/** The table of an adapter that stores the fields one by one which it knew before R20. */
class TableOfBefore extends MemoryTable {
  override putGroup({ freedEpoch: _, spent: __, ...row }: GroupRow): void {
    super.putGroup(row as GroupRow);
  }
}

it("an adapter that does not store what became free goes on, and what raises a share waits for the next epoch", () => {
  const group = new Group(new TableOfBefore());
  group.join("a");
  group.join("b");
  group.clockMs += 2_000;
  for (const name of ["a", "a"]) expect(group.beat(name)).toMatchObject({ entitled: 50, early: 0 });
  expect(group.beat("b")).toMatchObject({ held: 50, early: 0, fromEpoch: 1_003 });
});
