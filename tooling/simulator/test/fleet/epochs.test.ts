import { describe, expect, it } from "vitest";
import { EpochBook } from "../../src/fleet/check/epochs.ts";
import { Scenario } from "../../src/fleet/scenario.ts";

describe("the account of epochs", () => {
  const process = new Scenario().join("a", "idle");

  it("adds what is granted, takes off what comes back, and remembers the most there was", () => {
    const book = new EpochBook(() => Number.POSITIVE_INFINITY);
    book.grant(process, 7, 5, 10, 0);
    expect(book.giveBack(process, 7, 2)).toBe(0);
    expect(book.of(7)).toMatchObject({ net: 3, peak: 5 });
    expect(book.giveBack(process, 7, 4)).toBe(1);
  });

  it("begins anew when a number comes again after its time, and still knows what was granted under it before", () => {
    const book = new EpochBook(() => 1_000);
    book.grant(process, 7, 8, 10, 0);
    expect(book.grant(process, 7, 3, 10, 2_000)).toMatchObject({ net: 3 });
    expect(book.giveBack(process, 7, 5)).toBe(0);
    expect(book.all.map(({ net }) => net)).toEqual([6, 0]);
  });
});
