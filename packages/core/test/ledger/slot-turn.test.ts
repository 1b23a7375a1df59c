import { describe, expect, it } from "vitest";
import { SlotGroup } from "./support/slot-group.ts";

/** Three busy members share 6 slots: 2 each. Then the first caller of `costly` waits for so many. */
function busy(cost: number, max = 6): SlotGroup {
  const group = new SlotGroup(max, "a", "b", "costly");
  for (const name of ["a", "b", "costly"]) group.report(name, 0, { waiting: 10 });
  for (const name of ["a", "b"]) group.report(name, max / 3, { waiting: 8, want: 10 });
  group.report("costly", max / 3, { waiting: cost, head: cost, want: 10 });
  return group;
}

/** The others have learned that the turn of `costly` has begun, and give up what they hold: one slot is in use yet. */
function inTurn(): SlotGroup {
  const group = busy(5);
  group.clockMs += 250;
  group.report("a", 2, { waiting: 8, want: 10 });
  group.report("a", 1, { waiting: 8, want: 10 });
  group.report("b", 0, { waiting: 8, want: 10 });
  return group;
}

describe("the turn of a costly caller (R34)", () => {
  it("begins after a wait of 100 ms for each mean share that it costs", () => {
    const group = busy(5);
    group.clockMs += 249;
    expect(group.report("a", 2, { waiting: 8, want: 10 }).demand?.waterLevel).toBe(2);
    group.clockMs += 1;
    // The others are due what 5 of 6 slots leave for the two of them: 0, and one slot that goes round.
    const { demand, turns } = group.report("a", 2, { waiting: 8, want: 10 });
    expect([demand?.waterLevel, demand?.tight, turns]).toEqual([0, true, 1]);
    // Its member lacks 3 to these 5.
    expect(group.hints).toEqual(["a ask 2", "b ask 1"]);
  });

  it("raises its member by all that the others give, and tells it that it is due as much", () => {
    const group = inTurn();
    expect(group.held).toEqual({ a: 1, b: 0, costly: 5 });
    expect(group.offers).toEqual([["costly", expect.objectContaining({ held: 5, waterLevel: 5 })]]);
    expect(group.report("costly", 5, { waiting: 5, head: 5, want: 10 }).demand?.waterLevel).toBe(5);
  });

  it("is over with the report of its member: the others are due their parts, and it goes to the end of the queue", () => {
    const group = inTurn();
    group.clockMs += 50;
    const { demand } = group.report("costly", 5, { waiting: 5, head: 5, want: 10, tookOffer: true });
    expect(demand?.waterLevel).toBe(2);
    // Of the 3 that they lack, a was asked for one before.
    expect(group.hints).toEqual(["costly ask 2"]);
    expect(group.table.slots.slotsOf("costly")?.sinceMs).toBe(group.clockMs);
    group.report("costly", 2, { waiting: 5, head: 5, want: 10 });
    expect(group.held).toEqual({ a: 2, b: 2, costly: 2 });
  });

  it("is over where the costly caller has left: its member stands before the others no more", () => {
    const group = busy(5);
    group.clockMs += 250;
    group.report("a", 2, { waiting: 8, want: 10 });
    group.clockMs += 10;
    group.report("costly", 2, { waiting: 2, head: 2, want: 10 });
    expect(group.table.slots.slotsOf("costly")?.sinceMs).toBe(group.clockMs);
  });

  it("goes on where its member has not received the offer", () => {
    const group = inTurn();
    expect(group.report("costly", 2, { waiting: 5, head: 5, want: 10 }).held).toBe(5);
  });

  it("takes slots that are kept for members which want nothing, where it needs them", () => {
    const group = new SlotGroup(50, "a", "b", "idle", "costly");
    group.report("a", 0, { waiting: 50 });
    group.report("costly", 0, { waiting: 50, head: 50 });
    group.clockMs += 1_000;
    group.report("a", 24, { waiting: 26, want: 50 });
    group.report("a", 0, { waiting: 50 });
    expect(group.held).toMatchObject({ a: 0, costly: 50 });
  });

  it("waits for members below their need that were in the queue before", () => {
    const group = busy(5);
    group.clockMs += 200;
    group.report("a", 0, { want: 0 });
    group.report("b", 6 - 2, { waiting: 8, want: 10 });
    group.clockMs += 10;
    group.report("costly", 2, { waiting: 0 });
    group.report("a", 0, { waiting: 3 });
    group.report("costly", 2, { waiting: 5, head: 5, want: 10 });
    group.clockMs += 250;
    // While a lacks a slot of its need it comes first.
    expect(group.report("b", 4, { waiting: 8, want: 10 }).demand?.waterLevel).toBe(2);
  });

  it("is one at a time, in the order of the queue", () => {
    const group = busy(5);
    group.clockMs += 10;
    group.report("a", 2, { waiting: 6, head: 6, want: 10 });
    group.clockMs += 300;
    expect(group.report("b", 2, { waiting: 8, want: 10 }).demand?.waterLevel).toBe(0);
    // Both wait since the same time, so that their names decide.
    expect(group.report("a", 2, { waiting: 6, head: 6, want: 10 }).demand?.waterLevel).toBe(6);
    expect(group.report("costly", 2, { waiting: 5, head: 5, want: 10 }).demand?.waterLevel).toBe(0);
  });

  it("is for none that its need or a slot above the water level is enough for", () => {
    const group = busy(2);
    group.clockMs += 1_000;
    expect(group.report("a", 2, { waiting: 8, want: 10 }).demand?.waterLevel).toBe(2);
    const odd = busy(3, 6);
    odd.report("a", 2, { waiting: 8, want: 10, max: 7 });
    expect(odd.report("b", 2, { waiting: 8, want: 10 }).turns).toBe(0);
  });

  it("begins in no group that learns", () => {
    const group = new SlotGroup(2);
    group.join("a", { learningMs: 2_000_000, claim: 2 });
    group.join("b", { learningMs: 2_000_000 });
    group.report("a", 2, { waiting: 3 });
    group.report("b", 0, { waiting: 2, head: 2 });
    group.clockMs += 5_000;
    group.report("b", 0, { waiting: 2, head: 2 });
    expect(group.report("a", 2, { waiting: 3 }).demand?.waterLevel).toBe(1);
  });
});
