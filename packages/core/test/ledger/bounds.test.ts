import { describe, expect, it } from "vitest";
import { isDtError, type Registration, type Report } from "../../src/index.ts";
import { checkFarewell, checkRegistration, checkReport, inspect } from "../../src/ledger/index.ts";
import { Group, registration } from "./support/group.ts";

const refused = (call: () => void): boolean => {
  try {
    call();
  } catch (error) {
    return isDtError(error, "DT_INVALID_OPTION");
  }
  return false;
};

describe("what is refused before anything is written", () => {
  const tooLarge: readonly (readonly [keyof Registration, unknown])[] = [
    ["staleAfterMs", 1e300],
    ["staleAfterMs", 1e12 + 1],
    ["staleAfterMs", 5e-324],
    ["intervalMs", 1e300],
    ["intervalMs", 0.999],
    ["learningMs", 1e300],
    ["learningMs", 20_001],
    ["resumeWithinMs", 1e300],
    ["clockErrorMs", 1e300],
    ["clockErrorMs", -1],
    ["clockErrorMs", Number.NaN],
    ["observedMs", 8.64e15 + 2],
    ["claim", 1e12 + 1],
    ["max", 2 ** 53 - 1],
    ["level", 1e300],
    ["rejoin", "yes"],
    ["rejoin", undefined],
  ];
  it.each(tooLarge)("a registration with %s %s", (field, value) => {
    expect(refused(() => checkRegistration("g", { ...registration("a"), [field]: value }))).toBe(true);
  });

  it.each([
    ["members", 2 ** 53 - 1],
    ["held", 1e12 + 1],
    ["max", 1e12 + 1],
    ["level", 1e13],
    ["observedMs", 1e16],
  ])("a report with %s %s", (field, value) => {
    const report: Report = { seq: 1, generation: 0, members: 0, held: 0, max: 1, level: null };
    expect(refused(() => checkReport("g", registration("a"), report))).toBe(false);
    expect(refused(() => checkReport("g", registration("a"), { ...report, [field]: value }))).toBe(true);
  });

  it("a farewell without a number", () => {
    const farewell = { seq: undefined as unknown as number, level: null };
    expect(refused(() => checkFarewell("g", registration("a"), farewell))).toBe(true);
  });

  it("and the largest of all that is accepted leaves a group that works", () => {
    const group = new Group();
    const most = {
      learningMs: 1e12,
      staleAfterMs: 1e12,
      resumeWithinMs: 1e12,
      clockErrorMs: 1e12,
      observedMs: 8.64e15,
    };
    const largest = registration("a", { ...most, max: 1e12, claim: 1e12, level: 1e12, seq: 2 ** 53 - 1 });
    checkRegistration("g", largest);
    const view = group.join("a", largest);
    expect(Object.values(view).every((value) => typeof value !== "number" || Number.isSafeInteger(value))).toBe(true);
    for (let i = 0; i < 100; i++) group.join(`b${i}`, { ...largest, id: `b${i}`, incarnation: `b${i}` });
    expect(inspect(group.table, "g", group.clockMs).held).toBe(101e12);
  });
});

describe("what a member has observed (R2)", () => {
  it("counts as at most a day ahead of the store's clock, in a new group and in one that exists", () => {
    const group = new Group();
    const latestMs = group.clockMs + 86_400_000;
    expect(group.join("a", { observedMs: 8.64e15 }).storeTimeMs).toBe(latestMs);
    for (let i = 0; i < 10; i++) expect(group.beat("a", 8.64e15 - i).storeTimeMs).toBe(latestMs);
    group.clockMs += 1_000;
    expect(group.beat("a").storeTimeMs).toBe(latestMs + 1_000);
    expect(group.beat("a", 8e15).storeTimeMs).toBe(latestMs + 1_000);
  });

  it("does not undo that a group's time never goes back, however far the store's clock did", () => {
    const group = new Group();
    group.clockMs = 1e12;
    const { storeTimeMs } = group.join("a");
    group.clockMs = 1_000;
    expect(group.beat("a", storeTimeMs).storeTimeMs).toBe(storeTimeMs);
  });
});
