import { expect, it } from "vitest";
import { SlotGroup } from "./support/slot-group.ts";

it("what is free goes to the first in the queue at once, on record, and a hint tells that member alone", () => {
  const group = new SlotGroup(2, "a", "b", "c");
  group.report("a", 0, { waiting: 2 });
  for (const name of ["b", "c"]) {
    group.clockMs += 1;
    expect(group.report(name, 0, { waiting: 1 }).held).toBe(0);
  }
  group.report("a", 1);
  expect(group.held).toEqual({ a: 1, b: 1, c: 0 });
  const seq = group.table.member("b")?.seq;
  expect(group.offers).toEqual([["b", { kind: "offer", held: 1, seq, waterLevel: 0, wanted: true }]]);
});

it("a member that leaves hands what it held to the queue", () => {
  const group = new SlotGroup(1, "a", "b");
  group.report("a", 0, { waiting: 1 });
  group.report("b", 0, { waiting: 1 });
  group.leave("a");
  expect(group.hints).toEqual(["b offer 1"]);
  expect(group.held).toEqual({ b: 1 });
});

it("an offer is wanted where another member lacks slots still, and not where it has an offer as well", () => {
  const group = new SlotGroup(2, "a", "b", "c", "d");
  group.report("a", 0, { waiting: 2 });
  for (const name of ["b", "c"]) group.report(name, 0, { waiting: 1 });
  group.leave("a");
  expect(group.offers.map(([name, hint]) => [name, hint.kind === "offer" && hint.wanted])).toEqual([
    ["b", false],
    ["c", false],
  ]);
  expect(group.report("d", 0, { waiting: 1 })).toMatchObject({ wanted: false, place: 0 });
  expect(group.report("b", 1, { tookOffer: true }).wanted).toBe(true);
});

it("a member that is answered gets what it is raised by in the answer, and no hint", () => {
  const group = new SlotGroup(2, "a");
  expect(group.report("a", 0, { waiting: 2 }).held).toBe(2);
  expect(group.hints).toEqual([]);
});

it("a report that crossed the offer is answered with it: the member has kept its place", () => {
  const group = new SlotGroup(1, "a", "b", "c");
  group.report("a", 0, { waiting: 1 });
  group.report("b", 0, { waiting: 1 });
  group.clockMs += 1;
  group.report("c", 0, { waiting: 1 });
  group.report("a", 0);
  expect(group.hints).toContain("b offer 1");
  group.clockMs += 1;
  expect(group.report("b", 0, { waiting: 1 }).held).toBe(1);
  expect(group.held).toEqual({ a: 0, b: 1, c: 0 });
});

it("a member that gives up the turn of an offer which it took goes to the end of the queue", () => {
  const group = new SlotGroup(1, "a", "b", "c");
  group.report("a", 0, { waiting: 1 });
  group.report("b", 0, { waiting: 9 });
  group.clockMs += 1;
  group.report("c", 0, { waiting: 9 });
  group.report("a", 0);
  expect(group.hints).toContain("b offer 1");
  group.clockMs += 1;
  expect(group.report("b", 0, { waiting: 9, tookOffer: true }).held).toBe(0);
  expect(group.hints).toContain("c offer 1");
});

it("members that receive no hints take turns all the same, each with its next report", () => {
  const names = ["a", "b", "c"];
  const group = new SlotGroup(1, ...names);
  const turns = new Map(names.map((name) => [name, 0]));
  for (let round = 0; round < 30; round += 1)
    for (const name of names) {
      group.clockMs += 20;
      if (group.report(name, 0, { waiting: 5 }).held === 1) turns.set(name, (turns.get(name) as number) + 1);
    }
  for (const name of names) expect(turns.get(name), name).toBeGreaterThanOrEqual(7);
});

it("an offer without a reply is sent again after 250 ms, with the same number of the request", () => {
  const group = new SlotGroup(1, "a", "b");
  group.report("a", 0, { waiting: 1 });
  group.report("b", 0, { waiting: 1 });
  group.report("a", 0);
  const [first] = group.offers;
  group.clockMs += 250;
  group.report("a", 0);
  expect(group.hints).toEqual([]);
  group.clockMs += 1;
  group.report("a", 0);
  expect(group.offers).toEqual([first]);
  group.clockMs += 251;
  group.report("b", 1, { tookOffer: true });
  group.report("a", 0);
  expect(group.hints).toEqual([]);
});

it("a repeat raises nobody out of turn, and changes no place in the queue", () => {
  const group = new SlotGroup(1, "a", "b");
  group.report("a", 0, { waiting: 1 });
  group.report("b", 0, { waiting: 1, seq: 100 });
  expect(group.report("b", 0, { waiting: 0, seq: 100 }).held).toBe(0);
  expect(group.queue).toEqual(["b"]);
  expect(group.report("b", 0, { waiting: 0, seq: 7 }).held).toBe(0);
  expect(group.queue).toEqual(["b"]);
});
