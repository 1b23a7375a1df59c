import { spendRequest } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import { admin, openPatientStore, schema, useOwnServer } from "./support/own-server.ts";
import { AMPLE, ample, only } from "./support/spend-requests.ts";
import { TestClock } from "./support/test-clock.ts";

useOwnServer({ config: { fsync: "off" } });

const NOW_MS = 1_800_000_000_000;

/** Puts the store's schema, which it makes, on a test clock. */
async function onTestClock(store: { inspect(group: string): Promise<unknown> }): Promise<TestClock> {
  await store.inspect("g");
  const clock = await TestClock.install(admin, schema);
  await clock.set(NOW_MS);
  return clock;
}

describe("what is over", () => {
  test("leases are forgotten a hundred at a time, and count as forgotten before", async () => {
    const store = openPatientStore();
    const clock = await onTestClock(store);
    const requests = Array.from({ length: 250 }, () => ample({ keepMs: 5_000 }));
    for (const request of requests) await store.spend("b", request);
    const known = (): Promise<number> => admin.number(`SELECT count(*) FROM ${schema}.dt_budget_lease`);
    await clock.set(NOW_MS + 5_000);
    expect(await store.inspectBudget("b")).toMatchObject({ open: 0 });
    const id = requests.at(-1)?.reserve.id as string;
    const settle = [{ id, costs: [0], measured: true }];
    const left: number[] = [];
    for (let i = 0; i < 3; i++) {
      expect(await store.spend("b", { limits: [AMPLE], keeps: [0], settle })).toMatchObject({
        rests: [AMPLE.max - 250],
      });
      left.push(await known());
    }
    expect(left).toEqual([149, 49, 0]);
  });

  test("an id that comes again after its lease was over is a lease of its own", async () => {
    const store = openPatientStore();
    const clock = await onTestClock(store);
    for (let i = 0; i < 150; i++) await store.spend("b", ample({ keepMs: 10 }));
    const request = ample({ keepMs: 20 });
    await store.spend("b", request);
    await clock.set(NOW_MS + 20);
    expect(await store.spend("b", request)).toMatchObject({ granted: true, rests: [AMPLE.max - 152] });
  });

  test("budgets of which nothing is to come are forgotten with all they had, two whenever one is new; those in use stay", async () => {
    const store = openPatientStore();
    const clock = await onTestClock(store);
    for (const budget of ["a", "b", "c", "used"])
      for (let i = 0; i < 3; i++) await store.spend(budget, spendRequest({ keepMs: 90_000 }));
    const kept = (budget: string): Promise<number> =>
      admin.number(
        `SELECT keep_until_ms FROM ${schema}.dt_budget_state s JOIN ${schema}.dt_budget b ON b.id = s.budget_id WHERE name = '${budget}'`,
      );
    // Two windows and a minute; a lease that lives longer; a pause; a reservation far ahead.
    expect((await kept("used")) - NOW_MS).toBe(180_000);
    await store.spend("used", spendRequest({ keepMs: 500_000 }));
    expect((await kept("used")) - NOW_MS).toBe(560_000);
    await store.spend("used", only({ pauseMs: 1_000_000 }));
    expect((await kept("used")) - NOW_MS).toBe(1_060_000);
    await store.spend("used", spendRequest({ maxWaitMs: 1e9, keepMs: 0 }));
    expect((await kept("used")) - NOW_MS).toBe(1_000_000 + 120_000 + 60_000);
    await clock.set(NOW_MS + 180_001);
    const names = async (): Promise<unknown[]> => [...(await store.listBudgets()).budgets];
    await store.spend("used", only({}));
    expect(await names()).toEqual(["a", "b", "c", "used"]);
    await store.spend("new", spendRequest());
    expect(await names()).toHaveLength(3);
    await store.spend("newer", spendRequest());
    expect(await names()).toEqual(["new", "newer", "used"]);
    for (const table of ["dt_budget_lease", "dt_budget_limit", "dt_budget_state"])
      expect(
        await admin.number(
          `SELECT count(*) FROM ${schema}.${table} WHERE budget_id NOT IN (SELECT id FROM ${schema}.dt_budget)`,
        ),
      ).toBe(0);
  });

  test("a budget is kept by the server's clock, also when its time is a day ahead since that clock went back", async () => {
    const store = openPatientStore();
    const clock = await onTestClock(store);
    const dayMs = 86_400_000;
    for (const ms of [NOW_MS + dayMs, NOW_MS, NOW_MS + dayMs + 300_000]) {
      await clock.set(ms);
      await store.spend("b", spendRequest());
    }
    const keptMs = await admin.number(`SELECT keep_until_ms FROM ${schema}.dt_budget_state`);
    expect(keptMs - (NOW_MS + dayMs + 300_000)).toBe(180_000);
  });
});
