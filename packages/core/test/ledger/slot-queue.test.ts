import { expect, it } from "vitest";
import { SLOT_LOOK } from "../../src/ledger/index.ts";
import { SlotGroup } from "./support/slot-group.ts";

it("a member stands in the queue from its first report with callers that wait until it lacks nothing", () => {
  const group = new SlotGroup(1, "a", "b");
  expect(group.report("a", 0, { waiting: 1 }).held).toBe(1);
  expect(group.queue).toEqual([]);
  expect(group.report("b", 0, { waiting: 1 }).held).toBe(0);
  expect(group.queue).toEqual(["b"]);
  group.report("b", 0);
  expect(group.queue).toEqual([]);
});

it("a member that waits keeps its place with each further report", () => {
  const group = new SlotGroup(1, "a", "b", "c");
  group.report("a", 0, { waiting: 1 });
  for (const name of ["b", "c", "b"]) {
    group.clockMs += 10;
    group.report(name, 0, { waiting: 1 });
  }
  expect(group.queue).toEqual(["b", "c"]);
});

it("members below their need come before those that lack a turn, however long these have waited", () => {
  const group = new SlotGroup(4, "a", "b");
  group.join("c", { claim: 4 });
  group.report("c", 4, { waiting: 5 });
  group.report("a", 0, { waiting: 9 });
  group.clockMs += 10;
  group.report("b", 0, { waiting: 9 });
  expect(group.queue).toEqual(["a", "b"]);
  // The water level is 1: with this slot a has what it needs, and lacks a turn with another one.
  group.report("c", 3, { waiting: 6 });
  group.report("a", 1, { waiting: 8, tookOffer: true });
  expect(group.queue).toEqual(["b", "a"]);
  group.report("c", 2, { waiting: 7 });
  expect(group.hints).toContain("b offer 1");
  expect(group.held).toEqual({ a: 1, b: 1, c: 2 });
});

it("a member that has not reported for 2.5 s is passed over, and leaves the queue", () => {
  const group = new SlotGroup(1, "a", "b", "c");
  group.report("a", 0, { waiting: 1 });
  group.report("b", 0, { waiting: 1 });
  group.clockMs += 2_500;
  group.report("c", 0, { waiting: 1 });
  expect(group.queue).toEqual(["b", "c"]);
  group.clockMs += 1;
  group.report("a", 0);
  expect(group.hints).toEqual(["c offer 1"]);
  // It has its offer, and keeps its place for as long as the hint may be lost.
  expect(group.queue).toEqual(["c"]);
});

it("a member that leaves or loses its id leaves the queue", () => {
  const group = new SlotGroup(1, "a", "b", "c");
  group.report("a", 0, { waiting: 1 });
  group.report("b", 0, { waiting: 1 });
  group.leave("b");
  expect(group.queue).toEqual([]);
  group.report("c", 0, { waiting: 1 });
  group.join("c2", { id: "c" });
  expect(group.queue).toEqual(["c"]);
  group.sync("c2", 0);
  expect(group.queue).toEqual([]);
});

it("more members with an offer than one operation looks at keep no slot from the others", () => {
  const many = Array.from({ length: SLOT_LOOK + 8 }, (_, index) => `m${String(index).padStart(2, "0")}`);
  const group = new SlotGroup(many.length + 1, "holder", "late", ...many);
  group.report("holder", 0, { waiting: many.length + 1 });
  for (const name of many) {
    group.clockMs += 1;
    group.report(name, 0, { waiting: 1 });
  }
  // All of these slots are free at once, and all of these members are sent an offer, to which none has replied yet.
  group.report("holder", 1);
  group.report("holder", 1);
  expect(many.filter((name) => group.held[name] === 1)).toEqual(many);
  group.report("late", 0, { waiting: 1 });
  group.report("holder", 0);
  expect(group.hints).toContain("late offer 1");
});
