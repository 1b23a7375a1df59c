import { describe, expect, it } from "vitest";
import { inspectBudget } from "../../src/budgets/inspect-budget.ts";
import type { SpendAnswer, SpendRequest } from "../../src/contract/budget-ledger.ts";
import { decodeBudgetRow, encodeBudgetRow, MemoryBudgetTable, spend } from "../../src/ledger/index.ts";
import type { LimitRecordHead } from "../../src/limits/limit-row.ts";

const WINDOW_MS = 60_000;
const START_MS = 1_000_000 * WINDOW_MS;
const TOKENS = { name: "tokens", max: 1_000, windowMs: WINDOW_MS, burst: 1_000 };

/** A budget with stored limits, and the requests of its clients. */
function budget(limits: SpendRequest["limits"] = [TOKENS]) {
  let record: LimitRecordHead | undefined;
  let nowMs = START_MS;
  let ids = 0;
  const table = new MemoryBudgetTable(undefined, () => record);
  const ask = (request: Partial<SpendRequest>): SpendAnswer =>
    spend(table, { limits, keeps: [0], stored: true, ...request }, nowMs);
  return {
    table,
    ask,
    pass: (ms: number) => (nowMs += ms),
    set: (values: Readonly<Record<string, number>> | null): void => {
      record = { revision: (record?.revision ?? 0) + 1, values: values && JSON.stringify(values), untilMs: null };
    },
    reserve: (cost: number, more: Partial<SpendRequest["reserve"]> = {}, request: Partial<SpendRequest> = {}) => {
      const reserve = { id: `${++ids}`, costs: [cost], tier: 0, maxWaitMs: 1e9, keepMs: 600_000, ...more };
      return ask({ ...request, reserve });
    },
    inspect: () => inspectBudget(table, "b", nowMs),
  };
}

describe("the stored limits of a budget (B13)", () => {
  it("are the code's values of the first request, and count for all", () => {
    const { reserve, inspect } = budget();
    expect(reserve(10).maxes).toEqual([1_000]);
    expect(reserve(10, {}, { limits: [{ ...TOKENS, max: 50, burst: 50 }] })).toMatchObject({ maxes: [1_000] });
    expect(inspect()?.stored).toEqual({ revision: 0, values: { tokens: 1_000 } });
  });

  it("hold at once, and what was spent stays spent", () => {
    const { reserve, set, ask } = budget();
    reserve(600);
    set({ tokens: 100 });
    expect(ask({}).rests).toEqual([-500]);
    expect(reserve(10, { maxWaitMs: 0 })).toMatchObject({ granted: false, limitedBy: 0 });
    set({ tokens: 5_000 });
    expect(reserve(4_400)).toMatchObject({ granted: true, waitMs: 0, rests: [0] });
    expect(reserve(1, { maxWaitMs: 0 })).toMatchObject({ granted: false });
  });

  it("let a call wait whose cost is more than they are, and it comes when they are raised", () => {
    const { reserve, set } = budget();
    set({ tokens: 1 });
    expect(reserve(500)).toMatchObject({ granted: false, waitMs: WINDOW_MS, limitedBy: 0, rests: [1] });
    expect(reserve(500, { force: true })).toMatchObject({ granted: true, waitMs: WINDOW_MS, rests: [-499] });
    set({ tokens: 2_000 });
    expect(reserve(1_500)).toMatchObject({ granted: true, waitMs: 0, rests: [0] });
  });

  it("leave nobody behind a line of reservations that are given back", () => {
    const { reserve, set, pass, ask } = budget([{ ...TOKENS, windowMs: 1_000 }]);
    set({ tokens: 1 });
    for (let i = 0; i < 5; i++) reserve(1);
    pass(10);
    set({ tokens: 10 });
    ask({ settle: ["2"].map((id) => ({ id, costs: [0], measured: false })) });
    const begun = Array.from({ length: 12 }, () => reserve(1)).map(({ waitMs }) => waitMs);
    expect(Math.max(...begun)).toBeLessThan(2_100);
    expect(begun.filter((ms) => ms === 0).length).toBeGreaterThan(0);
  });

  it("reserve no farther ahead than a window", () => {
    const { reserve, set, pass } = budget([{ ...TOKENS, windowMs: 1_000 }]);
    set({ tokens: 1 });
    reserve(1);
    // The window of the first call is full for a slot longer.
    expect(reserve(1)).toMatchObject({ granted: false, limitedBy: 0 });
    pass(10);
    expect(reserve(1)).toMatchObject({ granted: true, limitedBy: 0 });
    expect(reserve(1)).toMatchObject({ granted: false, limitedBy: 0 });
  });

  it("keep the pace in units, and a burst in proportion", () => {
    const { reserve, set } = budget([{ ...TOKENS, burst: 100 }]);
    reserve(100);
    set({ tokens: 100 });
    // 100 units behind a burst of 10: the next one comes after as many units as it has to.
    expect(reserve(10, { maxWaitMs: 0 }).waitMs).toBe(60_250);
    set({ tokens: 4_000 });
    expect(reserve(10, { maxWaitMs: 0 })).toMatchObject({ granted: true });
    expect(reserve(400, { maxWaitMs: 0 }).waitMs).toBeCloseTo((110 * 60_000) / 4_000);
  });

  it("count as the smaller one for a request without them, and for nobody once the budget was idle", () => {
    const { reserve, set, pass, inspect } = budget();
    set({ tokens: 400 });
    reserve(1);
    const own = { stored: false, terms: "mine" };
    expect(reserve(1, {}, own).maxes).toEqual([400]);
    expect(reserve(1, {}, { ...own, limits: [{ ...TOKENS, max: 50, burst: 50 }] }).maxes).toEqual([50]);
    pass(10_001);
    expect(inspect()).not.toHaveProperty("stored");
    expect(reserve(1, {}, own)).not.toHaveProperty("maxes");
  });

  it("are left as they are by a repeat, and by a request that a damaged record refuses", () => {
    const { reserve, set, ask, inspect } = budget();
    reserve(1, { id: "a" });
    set({ tokens: 7 });
    expect(reserve(1, { id: "a" }).maxes).toEqual([1_000]);
    set({ tokens: -7 });
    const before = inspect();
    expect(() => reserve(1)).toThrow(expect.objectContaining({ code: "DT_STORE_DATA" }));
    expect(inspect()).toEqual(before);
    expect(ask({ stored: false }).maxes).toEqual([1_000]);
  });

  it("may have any name, and go with the row as JSON", () => {
    const limits = ["constructor", "__proto__"].map((name) => ({ ...TOKENS, name }));
    const { ask, table, set } = budget(limits);
    expect(ask({}).maxes).toEqual([1_000, 1_000]);
    set({ constructor: 5 } as unknown as Record<string, number>);
    expect(ask({}).maxes).toEqual([5, 1_000]);
    const row = table.row();
    const text = JSON.stringify(row && encodeBudgetRow(row));
    expect(decodeBudgetRow(JSON.parse(text), "here")).toEqual(row);
    const broken = text.replace('"constructor":5', '"constructor":"5"');
    expect(() => decodeBudgetRow(JSON.parse(broken), "here")).toThrow("here holds stored limits");
  });
});
