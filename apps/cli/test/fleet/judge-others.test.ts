import type { BudgetSnapshot, PermitSnapshot } from "@dt/core";
import { describe, expect, test } from "vitest";
import { judgeBudget } from "../../src/fleet/judge-budget.ts";
import { judgeKeyed } from "../../src/fleet/judge-keyed.ts";
import { judgePacer } from "../../src/fleet/judge-pacer.ts";
import type { LimiterReport } from "../../src/fleet/report.ts";
import { bucketOf, budgetOf, pacerOf, STORED } from "./support/snapshots.ts";

const found = ({ findings }: LimiterReport): string[] =>
  findings.map(({ state, code, text }) => `${state} ${code}: ${text}`);

describe("a pacer", () => {
  const ahead = (ms: number, more: Partial<PermitSnapshot> = {}) =>
    pacerOf({ reservedUntilMs: 1_000_000 + ms, ...more });
  test.each<[string, PermitSnapshot, string[], boolean]>([
    ["of which nothing is reserved", pacerOf(), [], false],
    ["whose permit was just used", ahead(100), ["ok reserved: reserved for 0.1 s from now"], false],
    ["that is reserved ahead", ahead(1_000), ["limited reserved: reserved for 1 s from now"], true],
    [
      "whose burst was just used",
      ahead(500, { terms: "every 100 ms, burst 5" }),
      ["ok reserved: reserved for 0.5 s from now"],
      false,
    ],
    ["with a queue", pacerOf({ waiting: 3 }), ["limited binds: limited by permits: 3 requests wait"], true],
    [
      "that is paused",
      pacerOf({ pausedForMs: 2_000 }),
      ["limited paused: paused for 2 s: no process begins a call before"],
      false,
    ],
    [
      "whose terms change",
      pacerOf({ formerTerms: "old" }),
      ['ok terms: its terms "every 100 ms, burst 1" take the place of old'],
      false,
    ],
  ])("%s", (_, snapshot, expected, binds) => {
    const report = judgePacer(snapshot, undefined);
    expect(found(report)).toEqual(expected);
    expect(report.limits).toMatchObject([{ name: "permits", max: 1, windowMs: 100, used: null, binds }]);
  });

  test("has the pace of the store's limit, and none where its terms are of sites", () => {
    const stored = { revision: 1, values: { everyMs: 250, burst: 2 } };
    const { terms: _, ...rest } = pacerOf({ stored });
    expect(judgePacer(rest, STORED).limits).toMatchObject([{ windowMs: 250 }]);
    expect(found(judgePacer(rest, STORED))).toEqual([]);
    expect(judgePacer(pacerOf({ terms: "a: every 5 ms" }), undefined).limits).toEqual([]);
    expect(found(judgePacer(pacerOf(), STORED))[0]).toMatch(/^attention in-vain/);
  });
});

describe("a budget", () => {
  const spent = (calls: number, margin = 0): Partial<BudgetSnapshot> => ({
    limits: [{ name: "calls", max: 10, windowMs: 60_000, spent: calls, margin }],
  });
  test.each<[string, Partial<BudgetSnapshot>, string[]]>([
    ["that is half spent", {}, []],
    ["that is spent", spent(10), ["limited binds: limited by calls: 10 of 10 are spent"]],
    ["whose rest is kept free", spent(8, 2), ["limited binds: limited by calls: 8 of 10 are spent, 2 are kept free"]],
    ["that is in debt", spent(12.5), ["limited debt: limited by calls, in debt: 12.5 of 10 are spent"]],
    ["with a rest", spent(7.9, 2), []],
    ["that is paused", { pausedForMs: 500 }, ["limited paused: paused for 0.5 s: no process begins a call before"]],
  ])("%s", (_, overrides, expected) => {
    const report = judgeBudget(budgetOf(overrides), undefined);
    expect(found(report)).toEqual(expected);
    expect(report.limits[0]?.binds).toBe(/calls/.test(expected[0] ?? ""));
  });

  test("has every limit, and a limit in the store that it does not use", () => {
    const report = judgeBudget(budgetOf(), STORED);
    expect(report).toMatchObject({ state: "attention", open: 2, terms: "terms", stored: STORED });
    expect(report.limits).toEqual([
      { name: "calls", max: 10, windowMs: 60_000, used: 5, utilization: 0.5, margin: 0, binds: false },
      { name: "tokens", max: 1_000, windowMs: 60_000, used: 500, utilization: 0.5, margin: 100, binds: false },
    ]);
  });
});

describe("a keyed limit", () => {
  const read = (...keys: ReturnType<typeof bucketOf>[]) => keys.map((snapshot) => ({ key: snapshot.key, snapshot }));

  test("has the keys of which nothing is left, the busiest first", () => {
    const concurrent = { max: 5, windowMs: 1_000, burst: 5, concurrent: 2 };
    const keys = read(
      bucketOf("quiet", 5),
      bucketOf("busy", 0.9),
      bucketOf("ahead", -3),
      bucketOf("half", 2.5),
      bucketOf("in-flight", 4, { limit: concurrent, inFlight: 2 }),
    );
    const report = judgeKeyed("api", keys, 5, undefined, 3);
    expect(found(report)).toEqual(["limited keys: nothing is left of 3 of 5 keys: ahead, in-flight, busy"]);
    expect(report.keys).toMatchObject({ count: 5, read: 5, limited: 3 });
    expect(report.keys?.busiest.map(({ key, utilization }) => [key, utilization])).toEqual([
      ["ahead", 1.6],
      ["in-flight", 1],
      ["busy", expect.closeTo(0.82)],
    ]);
  });

  test("says how many keys were read of those that there are", () => {
    const report = judgeKeyed("api", read(bucketOf("a", 0)), 10_000, undefined, 3);
    expect(found(report)).toEqual(["limited keys: nothing is left of 1 of the 1 key read: a"]);
  });

  test("shows a damaged key, and the others as well", () => {
    const error = { code: "DT_STORE_DATA", message: "a row is damaged" };
    const keys = [...read(bucketOf("a", 5)), { key: "b", snapshot: undefined, error }];
    const report = judgeKeyed("api", keys, 2, undefined, 3);
    expect(found(report)).toEqual(["attention damaged: the key b cannot be read: a row is damaged"]);
    expect(report.keys?.busiest.map(({ key }) => key)).toEqual(["a"]);
  });

  test("counts hits of keys without a limit in the store", () => {
    const { limit: _, ...rest } = bucketOf("a", 0, { hits: 7, hitsResetMs: 500 });
    const report = judgeKeyed("api", read(rest), 1, undefined, 3);
    expect(found(report)).toEqual(["ok hits: 7 hits counted in the windows of 1 key"]);
    expect(report.keys).toEqual({ count: 1, read: 1, limited: 0, busiest: [] });
  });
});
