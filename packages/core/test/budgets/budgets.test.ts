import { describe, expect, it } from "vitest";
import { spend } from "../../src/budgets/budgets.ts";
import { MemoryBudgetTable } from "../../src/budgets/memory-budget-table.ts";
import { SLOTS } from "../../src/budgets/window.ts";
import type { SpendAnswer, SpendRequest } from "../../src/contract/budget-ledger.ts";

const WINDOW_MS = 60_000;
const SLOT_MS = WINDOW_MS / SLOTS;
const START_MS = 1_000_000 * SLOT_MS;
const CALLS = { name: "requests", max: 10, windowMs: WINDOW_MS, burst: 10 };
const TOKENS = { name: "tokens", max: 1_000, windowMs: WINDOW_MS, burst: 1_000 };

/** A budget, and the requests of its one client. */
function budget(limits = [CALLS, TOKENS], keeps = [0]) {
  const table = new MemoryBudgetTable();
  let nowMs = START_MS;
  let ids = 0;
  const ask = (request: Partial<SpendRequest>): SpendAnswer => spend(table, { limits, keeps, ...request }, nowMs);
  return {
    table,
    ask,
    pass: (ms: number) => (nowMs += ms),
    reserve: (costs: readonly number[], more: Partial<SpendRequest["reserve"]> = {}) =>
      ask({ reserve: { id: `lease-${++ids}`, costs, tier: 0, maxWaitMs: 1e9, keepMs: 600_000, ...more } }),
    settle: (id: string, costs: readonly number[], measured = true) => ask({ settle: [{ id, costs, measured }] }),
  };
}

describe("a reservation of several limits", () => {
  it("takes all of a cost, and says what is left", () => {
    const { reserve } = budget();
    expect(reserve([1, 300])).toMatchObject({ granted: true, atMs: START_MS, waitMs: 0, rests: [9, 700] });
  });

  it("takes nothing where it would have to wait too long, and names the limit", () => {
    const { reserve, ask } = budget();
    reserve([1, 900]);
    const refused = reserve([1, 200], { maxWaitMs: 0 });
    expect(refused).toMatchObject({ granted: false, atMs: 0, limitedBy: 1, rests: [9, 100] });
    expect(refused.waitMs).toBe(WINDOW_MS + SLOT_MS);
    expect(ask({}).rests).toEqual([9, 100]);
  });

  it("waits until every window has room, and no longer", () => {
    const { reserve, pass } = budget();
    reserve([1, 600]);
    pass(10_000);
    reserve([1, 300]);
    expect(reserve([1, 500])).toMatchObject({ granted: true, atMs: START_MS + WINDOW_MS + SLOT_MS, limitedBy: 1 });
  });

  it("that needs another limit only comes before one that waits", () => {
    const { reserve } = budget();
    reserve([1, 1_000]);
    expect(reserve([1, 500]).waitMs).toBeGreaterThan(50_000);
    expect(reserve([1, 0]).waitMs).toBe(0);
  });

  it("is spread evenly beyond the burst", () => {
    const { reserve } = budget([{ ...TOKENS, burst: 100 }]);
    expect([100, 50, 50].map((cost) => reserve([cost]).waitMs)).toEqual([0, 3_000, 6_000]);
  });

  it("comes again and is answered the same lease", () => {
    const { reserve, pass, ask } = budget();
    reserve([1, 900]);
    const first = reserve([1, 400], { id: "twice" });
    pass(5);
    expect(reserve([1, 400], { id: "twice" })).toMatchObject({ granted: true, atMs: first.atMs, waitMs: first.waitMs });
    expect(ask({}).rests).toEqual([8, -300]);
  });

  it("is made at time 0 as well", () => {
    const reserve = { id: "first", costs: [1], tier: 0, maxWaitMs: 0, keepMs: 0 };
    const answer = spend(new MemoryBudgetTable(), { limits: [CALLS], keeps: [0], reserve }, 0);
    expect(answer).toMatchObject({ granted: true, atMs: 0, rests: [9] });
  });

  it("comes before one that waits only where both windows have room", () => {
    const { reserve, pass } = budget([TOKENS]);
    reserve([600]);
    pass(30_000);
    expect(reserve([900]).atMs - START_MS).toBe(WINDOW_MS + SLOT_MS);
    expect(reserve([100]).atMs - START_MS).toBe(36_000);
    expect(reserve([100]).atMs - START_MS).toBe(96_000 + SLOT_MS);
  });

  it("waits for its window to the last microsecond", () => {
    const { reserve, pass } = budget();
    pass(SLOT_MS - 0.03);
    const { atMs } = reserve([1, 1_000]);
    pass(WINDOW_MS - 0.02);
    expect(reserve([1, 1_000]).atMs - atMs).toBeGreaterThanOrEqual(WINDOW_MS);
  });

  it("that is forced is made at once, and says how long it would have waited", () => {
    const { reserve } = budget();
    reserve([1, 1_000]);
    const forced = reserve([1, 100], { force: true });
    expect(forced).toMatchObject({ granted: true, atMs: START_MS, limitedBy: 1, rests: [8, -100] });
    expect(forced.waitMs).toBeGreaterThan(50_000);
  });
});

describe("a settlement", () => {
  it("gives back what was not spent, once", () => {
    const { reserve, settle } = budget();
    reserve([1, 800], { id: "a" });
    expect(settle("a", [1, 300]).rests).toEqual([9, 700]);
    expect(settle("a", [1, 0]).rests).toEqual([9, 700]);
  });

  it("charges what was spent beyond, as debt of at most one limit", () => {
    const { reserve, settle } = budget();
    reserve([1, 800], { id: "a" });
    expect(settle("a", [1, 1_500]).rests).toEqual([9, -500]);
    reserve([1, 100], { id: "b" });
    expect(settle("b", [1, 1e9]).rests).toEqual([8, -1_000]);
  });

  it("gives nothing back of a window that has passed", () => {
    const { reserve, settle, pass, ask } = budget();
    reserve([1, 800], { id: "a" });
    pass(WINDOW_MS + 2 * SLOT_MS);
    reserve([1, 500]);
    settle("a", [1, 0]);
    expect(ask({}).rests).toEqual([9, 500]);
  });

  it("of a lease that is not known changes nothing", () => {
    const { reserve, settle } = budget();
    reserve([1, 800]);
    expect(settle("other", [1, 0]).rests).toEqual([9, 200]);
  });

  it("of a lease that was forgotten changes nothing: it stays spent", () => {
    const { reserve, settle, pass } = budget();
    reserve([1, 800], { id: "a", keepMs: 1_000 });
    pass(2_000);
    expect(settle("a", [1, 0]).rests).toEqual([9, 200]);
  });
});

describe("tiers", () => {
  it("stop before the part that is kept for the tiers before them", () => {
    const { reserve } = budget([CALLS, TOKENS], [0, 0.2]);
    reserve([1, 800], { tier: 1 });
    expect(reserve([1, 1], { tier: 1, maxWaitMs: 0 })).toMatchObject({ granted: false, limitedBy: 1 });
    expect(reserve([1, 200])).toMatchObject({ granted: true, waitMs: 0 });
  });

  it("do not hold up a high one by what a low one has reserved ahead", () => {
    const { reserve } = budget([{ ...TOKENS, burst: 100 }], [0, 0.2]);
    for (let n = 0; n < 40; n++) reserve([100], { tier: 1 });
    expect([100, 50].map((cost) => reserve([cost]).waitMs)).toEqual([0, 3_000]);
  });

  it("do not let a low one's turn delay a high one", () => {
    const { reserve } = budget([{ ...TOKENS, burst: 100 }], [0, 0.2]);
    for (let n = 0; n < 5; n++) reserve([100], { tier: 1 });
    expect(reserve([100])).toMatchObject({ granted: true, waitMs: 0 });
  });
});

describe("a pause, and what a callee states", () => {
  it("lets no reservation begin before it is over, and only grows", () => {
    const { reserve, ask } = budget();
    expect(ask({ pauseMs: 5_000 }).pausedForMs).toBe(5_000);
    expect(ask({ pauseMs: 2_000 }).pausedForMs).toBe(5_000);
    expect(reserve([1, 1])).toMatchObject({ granted: true, waitMs: 5_000, limitedBy: -1, pausedForMs: 5_000 });
  });

  it("only lowers what is left, until the callee's limit is full again", () => {
    const { ask, pass } = budget();
    const stated = [{ limit: 1, rest: 100, resetMs: 10_000 }];
    expect(ask({ stated }).rests).toEqual([10, 100]);
    expect(ask({ stated: [{ limit: 1, rest: 900, resetMs: 10_000 }] }).rests).toEqual([10, 100]);
    pass(10_000 + SLOT_MS);
    expect(ask({}).rests).toEqual([10, 1_000]);
  });
});

describe("the terms of a budget", () => {
  it("are those of its first user, and another's are refused", () => {
    const { ask, table } = budget();
    const reserve = { id: "a", costs: [1, 1], tier: 0, maxWaitMs: 0, keepMs: 0 };
    ask({ reserve, terms: "ten" });
    const before = table.state();
    expect(() => ask({ reserve: { ...reserve, id: "b" }, terms: "twenty" })).toThrow(/"ten".*"twenty"/);
    expect(table.state()).toEqual(before);
    expect(ask({ reserve: { ...reserve, id: "b" }, terms: "twenty", formerTerms: "ten" }).granted).toBe(true);
    expect(ask({ reserve: { ...reserve, id: "c" }, terms: "ten" }).granted).toBe(true);
  });
});

describe("another window", () => {
  it("keeps what was charged for a window of the new length", () => {
    const limit = { ...TOKENS };
    const { reserve, ask, pass } = budget([limit]);
    reserve([700]);
    pass(30_000);
    limit.windowMs = 120_000;
    pass(60_000);
    expect(ask({}).rests).toEqual([300]);
    pass(31_000);
    expect(ask({}).rests).toEqual([1_000]);
  });
});

it("no window holds more than the limit, whatever is asked and settled for less", () => {
  const { reserve, ask, pass } = budget([{ ...TOKENS, burst: 200 }]);
  let seed = 7;
  const random = (): number => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const calls: { id: string; atMs: number; cost: number }[] = [];
  for (let n = 0; n < 4_000; n++) {
    const id = `call-${n}`;
    const cost = 1 + Math.floor(random() * 60);
    const { atMs, granted } = reserve([cost], { id, maxWaitMs: 20_000 });
    if (granted) {
      const spent = Math.floor(cost * random());
      calls.push({ id, atMs, cost: random() < 0.5 ? spent : cost });
    }
    pass(random() * 3_000);
    const settled = calls.at(-Math.ceil(random() * 5));
    if (settled) ask({ settle: [{ id: settled.id, costs: [settled.cost], measured: true }] });
  }
  expect(calls.length).toBeGreaterThan(1_000);
  for (const { atMs: endMs } of calls) {
    const held = calls.filter(({ atMs }) => atMs <= endMs && atMs > endMs - WINDOW_MS);
    expect(held.reduce((sum, { cost }) => sum + cost, 0)).toBeLessThanOrEqual(1_000 + 1e-6);
  }
});
