import { describe, expect, it } from "vitest";
import { repair } from "../../src/ledger/index.ts";
import { SlotGroup } from "./support/slot-group.ts";

/** The queue only chooses: it never gives what is not free. */

describe("while more is held than there is (R32)", () => {
  it("all answers are over, and what is given up goes to no other member", () => {
    const group = new SlotGroup(2, "c");
    for (const name of ["a", "b"]) group.join(name, { claim: 2 });
    expect(group.report("c", 0, { waiting: 1 })).toMatchObject({ held: 0, over: true });
    expect(group.report("a", 1)).toMatchObject({ held: 1, over: true });
    expect(group.report("a", 0)).toMatchObject({ held: 0, over: false });
    expect(group.held).toEqual({ a: 0, b: 2, c: 0 });
    group.report("b", 1);
    expect(group.hints).toContain("c offer 1");
    expect(group.table.group()?.held).toBe(2);
  });

  it("after a lower limit they are over until the members are below it", () => {
    const group = new SlotGroup(4, "a", "b");
    group.report("a", 0, { waiting: 4 });
    expect(group.report("b", 0, { waiting: 1, max: 2 })).toMatchObject({ over: true, capacity: 2 });
    expect(group.report("a", 3, { max: 2 })).toMatchObject({ held: 3, over: true });
    expect(group.report("a", 1, { max: 2 })).toMatchObject({ held: 1, over: false });
    expect(group.hints).toEqual(["b offer 1"]);
  });
});

it("while a group learns, members stand in the queue, and none is raised, offered or asked for anything", () => {
  const group = new SlotGroup(3);
  for (const name of ["a", "b"]) group.join(name, { learningMs: 5_000 }, Number.POSITIVE_INFINITY);
  group.join("c", { claim: 2, rejoin: true });
  for (const name of ["a", "b"]) {
    group.clockMs += 1_000;
    expect(group.report(name, 0, { waiting: 1 })).toMatchObject({ held: 0, learning: true });
    expect(group.hints).toEqual([]);
  }
  expect(group.queue).toEqual(["a", "b"]);
  group.clockMs += 2_000;
  group.report("b", 0, { waiting: 1 });
  expect(group.hints).toEqual([]);
  group.clockMs += 1_000;
  // That of a came too late to keep its place.
  expect(group.report("a", 0, { waiting: 1 }).held).toBe(0);
  expect(group.hints).toEqual(["b offer 1", "c ask 1"]);
});

it("a slot of the float goes to a member that holds none, and to no holder (R29)", () => {
  const group = new SlotGroup(50, "holder");
  expect(group.report("holder", 0, { waiting: 90 }).held).toBe(50);
  for (const name of ["idle", "new"]) group.join(name);
  // A fiftieth is kept for the members that want nothing.
  for (const kept of [47, 49])
    expect(group.report("holder", kept, { waiting: 90 })).toMatchObject({ held: 49, place: 0 });
  expect(group.report("new", 0, { waiting: 1 }).held).toBe(1);
});

it("a member of which no caller waits is raised only by what the queue leaves (R29)", () => {
  const group = new SlotGroup(50, "holder");
  group.report("holder", 0, { waiting: 90 });
  for (const name of ["idle", "new", "other"]) group.join(name);
  group.report("other", 0, { waiting: 90 });
  group.report("holder", 24, { waiting: 90 });
  // One slot is free, kept for members that hold none, and this member lacks it to a turn.
  expect(group.report("other", 24, { waiting: 90, tookOffer: true }).held).toBe(24);
  expect(group.report("new", 0, { want: 1 }).held).toBe(0);
  expect(group.report("new", 0, { want: 1, waiting: 1 }).held).toBe(1);
});

it("a member that goes stale hands its slots to the queue, with the next operation of any member", () => {
  const group = new SlotGroup(1, "a", "b");
  group.report("a", 0, { waiting: 1 });
  for (let i = 0; i < 9; i += 1) {
    group.clockMs += 1_000;
    expect(group.report("b", 0, { waiting: 1 }).held).toBe(0);
  }
  group.clockMs += 1_000;
  expect(group.report("b", 0, { waiting: 1 }).held).toBe(1);
  expect(group.held).toEqual({ b: 1 });
});

it("a repair empties the queue, and what is held stays: the members report again", () => {
  const group = new SlotGroup(1, "a", "b");
  group.report("a", 0, { waiting: 1 });
  group.report("b", 0, { waiting: 1 });
  group.report("a", 0);
  expect(group.hints).toEqual(["b offer 1"]);
  const row = group.table.group();
  if (row) group.table.putGroup({ ...row, held: 9 });
  expect(repair(group.table, {}, group.clockMs).found).toHaveLength(1);
  expect(group.queue).toEqual([]);
  expect(group.hints).toEqual([]);
  expect(group.held).toEqual({ a: 0, b: 1 });
  group.report("a", 0, { waiting: 1 });
  expect(group.queue).toEqual(["a"]);
});

it("a member that has lost its id is offered nothing", () => {
  const group = new SlotGroup(1, "a", "b");
  group.report("a", 0, { waiting: 1 });
  group.report("b", 0, { waiting: 1 });
  group.join("b2", { id: "b" });
  group.report("b2", 0);
  group.report("a", 0);
  expect(group.hints).toEqual([]);
  expect(group.held).toEqual({ a: 0, b: 0, b2: 0 });
  expect(group.sync("b", 0, { waiting: 1 })).toMatchObject({ status: "fenced" });
  expect(group.queue).toEqual([]);
});

it("a group of members that share otherwise has no queue", () => {
  const group = new SlotGroup(1);
  for (const name of ["a", "b"]) group.join(name, { demand: { want: 1, syncMs: 1_000 }, intervalMs: 1_000 });
  expect(group.table.slots.mostHeld(9)).toEqual([]);
  group.leave("a");
  expect(group.hints).toEqual([]);
});
