import { beforeEach, describe, expect, it } from "vitest";
import { SLOT_LOOK } from "../../src/ledger/index.ts";
import { SlotGroup } from "./support/slot-group.ts";

describe("slots that lack are asked for (R31)", () => {
  let group: SlotGroup;

  /** In a semaphore of 12 slots a holds 7 and b holds 5, and both use them all. */
  beforeEach(() => {
    group = new SlotGroup(12, "c");
    for (const [name, held] of [
      ["b", 5],
      ["a", 7],
    ] as const) {
      group.clockMs += 10;
      group.join(name, { claim: held });
      group.report(name, held);
    }
  });

  /** c waits for so many, and needs 4 at most: the water level is not above that. */
  const lacks = (waiting: number): readonly string[] => {
    group.report("c", 0, { waiting });
    return group.hints;
  };

  it("of those that hold most beyond their need, for as many as lack", () => {
    expect(lacks(2)).toEqual(["a ask 2"]);
  });

  it("of the next one, for what the first one does not have beyond its need", () => {
    expect(lacks(9)).toEqual(["a ask 3", "b ask 1"]);
  });

  it("once: what was asked for in the last 250 ms is on its way", () => {
    lacks(2);
    group.clockMs += 250;
    expect(lacks(2)).toEqual([]);
    expect(lacks(3)).toEqual(["b ask 1"]);
  });

  it("of another member first, where one did not report after it was asked", () => {
    expect(lacks(3)).toEqual(["a ask 3"]);
    group.clockMs += 251;
    expect(lacks(3)).toEqual(["b ask 1", "a ask 2"]);
    group.clockMs += 251;
    expect(lacks(3)).toEqual(["a ask 3"]);
  });

  it("anew, once the member that was asked has reported", () => {
    lacks(3);
    group.report("a", 7);
    expect(group.hints).toEqual(["a ask 3"]);
  });

  it("not while any are free", () => {
    group.report("a", 4);
    expect(lacks(2)).toEqual([]);
    expect(group.held).toEqual({ a: 4, b: 5, c: 2 });
  });
});

it("more members than one operation looks at hide none that holds more than they do", () => {
  const many = Array.from({ length: SLOT_LOOK + 1 }, (_, index) => `m${index}`);
  const group = new SlotGroup(80, "new");
  for (const name of [...many, "z"]) {
    const held = name === "z" ? 80 - many.length : 1;
    group.join(name, { claim: held });
    group.report(name, held);
  }
  group.report("new", 0, { waiting: 3 });
  expect(group.hints).toEqual(["z ask 3"]);
});

it("for a turn, as many members as lack one learn that others wait, and none of them is asked for a slot", () => {
  const group = new SlotGroup(3, "d", "e");
  for (const name of ["a", "b", "c"]) {
    group.join(name, { claim: 1 });
    group.report(name, 1);
  }
  group.report("d", 0, { waiting: 4 });
  expect(group.hints).toEqual(["a ask 0"]);
  // Who was told in the last 250 ms is enough.
  group.report("e", 0, { waiting: 4 });
  expect(group.hints).toEqual([]);
  group.clockMs += 251;
  group.report("e", 0, { waiting: 4 });
  expect(group.hints).toEqual(["b ask 0", "c ask 0"]);
});
