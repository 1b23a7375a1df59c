import { isDtError } from "@dt/core";
import { describe, expect, test } from "vitest";
import { parseRegistered, parseSnapshot, parseView } from "../src/reply/groups.ts";

const evenly = ["agree", "1.5", "7", "2", "2", "1", "5", "4", "42", "1", "10", "250", "3.25", "f", null];
const view = [...evenly, ...Array<null>(11).fill(null), "0"];
const byDemand = [...evenly, "7", "1", "2", "t", "f", "t", ...Array<null>(5).fill(null), "0"];
const bySlots = [...byDemand.slice(0, 21), "f", "t", "3", "2", null, "0"];

const refused = (parse: () => unknown): string => {
  try {
    parse();
  } catch (error) {
    expect(isDtError(error, "DT_STORE_REPLY")).toBe(true);
    return (error as Error).message;
  }
  throw new Error("accepted");
};

describe("an answer", () => {
  test("becomes a view", () => {
    expect(parseView([view])).toEqual({
      status: "agree",
      storeTimeMs: 1.5,
      generation: 7,
      members: 2,
      reportedMembers: 2,
      rank: 1,
      held: 5,
      entitled: 4,
      fromEpoch: 42,
      early: 1,
      capacity: 10,
      clockErrorMs: 250,
      groupAgeMs: 3.25,
      learning: false,
      resumeLevel: null,
    });
  });

  test("to a member that shares by demand says what it is due", () => {
    const demand = { waterLevel: 7, reserve: 1, extra: 2, odd: true, tight: false, hungry: true };
    expect(parseView([byDemand])).toMatchObject({ demand });
    expect(parseView([[...byDemand, "new"]])).toMatchObject({ demand });
  });

  test("to a member of a semaphore says besides what the queue is like", () => {
    const slots = { over: false, wanted: true, place: 3, turns: 2 };
    expect(parseView([bySlots])).toMatchObject({ demand: { waterLevel: 7, slots } });
    expect(parseView([byDemand])).not.toHaveProperty("demand.slots");
  });

  test("of a group that is paused says for how much longer", () => {
    expect(parseView([[...view.slice(0, 26), "750.5"]])).toMatchObject({ pausedForMs: 750.5 });
    expect(parseView([view])).not.toHaveProperty("pausedForMs");
  });

  test("with more columns than are known is read all the same", () => {
    expect(parseView([[...view, "new"]])).toMatchObject({ status: "agree" });
  });

  test.each([
    ["nothing", undefined],
    ["no row", []],
    ["two rows", [view, view]],
    ["a row that is an object", [{ status: "agree" }]],
    ["a row that is too short", [view.slice(0, 25)]],
    ["a value that was parsed", [[...view.slice(0, 1), 1.5, ...view.slice(2)]]],
    ["a status that is unheard of", [["maybe", ...view.slice(1)]]],
    ["a time that is none", [["agree", "NaN", ...view.slice(2)]]],
    ["a missing generation", [["agree", "1", null, ...view.slice(3)]]],
    ["a truth that is none", [[...view.slice(0, 13), "yes", ...view.slice(14)]]],
    ["a level that is missing beside the rest", [[...evenly, null, ...byDemand.slice(16)]]],
    ["a level that is no number", [[...evenly, "high", ...byDemand.slice(16)]]],
    ["a reserve that is missing", [[...evenly, "7", null, ...byDemand.slice(17)]]],
    ["an extra without an end", [[...evenly, "7", "1", "Infinity", ...byDemand.slice(18)]]],
    ["an odd token that is a number", [[...evenly, "7", "1", "2", "1", ...byDemand.slice(19)]]],
    ["a pause that is missing", [[...view.slice(0, 26), null]]],
    ["a hunger that is missing", [[...byDemand.slice(0, 20), null, ...byDemand.slice(21)]]],
    ["an over that is missing beside the rest", [[...byDemand.slice(0, 21), null, ...bySlots.slice(22)]]],
    ["a wanted that is a number", [[...bySlots.slice(0, 22), "1", ...bySlots.slice(23)]]],
    ["a place that is missing", [[...bySlots.slice(0, 23), null, ...bySlots.slice(24)]]],
    ["turns without an end", [[...bySlots.slice(0, 24), "Infinity", ...bySlots.slice(25)]]],
  ])("that is %s is refused", (_, reply) => {
    expect(refused(() => parseView(reply))).toContain("a statement answered");
  });

  test("of another interval becomes the refusal that names both", () => {
    const row = ["interval", "1", ...Array<null>(23).fill(null), "2000", null];
    expect(() => parseRegistered([row], 1_000)).toThrow("interval is 1000 ms, but the group runs with 2000 ms");
  });

  test("becomes a snapshot with what members want and do, and what is none is refused", () => {
    const member = [
      "1",
      "7",
      "10",
      "1",
      "1",
      "5",
      "1000",
      "0",
      "f",
      "0",
      "p",
      "b",
      "0",
      "7",
      "1",
      "5",
      "10",
      null,
      "0",
      "f",
    ];
    expect(parseSnapshot([[...member, "17", null, null, null, null]], "g").members).toMatchObject([{ want: 17 }]);
    const [silent] = parseSnapshot([[...member, null, null, null, null, null]], "g").members;
    for (const name of ["want", "used", "waiting"]) expect(silent).not.toHaveProperty(name);
    expect(parseSnapshot([[...member, null, "7", "0", null, null]], "g").members).toMatchObject([
      { used: 7, waiting: 0 },
    ]);
    const ofStored = parseSnapshot([[...member, null, null, null, "3", "12"]], "g");
    expect(ofStored.stored).toEqual({ revision: 3, values: { max: 12 } });
    for (const wrong of [
      ["much", "7", "0"],
      [null, "7", "few"],
    ])
      expect(refused(() => parseSnapshot([[...member, ...wrong, null, null]], "g"))).toContain("a number");
    expect(refused(() => parseSnapshot([], "g"))).toContain("at least one row");
    expect(refused(() => parseSnapshot([["1"]], "g"))).toContain("rows of 25 values");
  });
});
