import { failure } from "@dt-tooling/backends/failure";
import { describe, expect, test } from "vitest";
import { admin, openPatientStore, schema, useOwnServer } from "./support/own-server.ts";
import { AMPLE, ample } from "./support/spend-requests.ts";

useOwnServer({ config: { fsync: "off" } });

describe("a budget whose data is not what was written", () => {
  test.each([
    ["dt_budget_state", "last_ms = 'NaN'"],
    ["dt_budget_state", "offset_ms = 1e300"],
    ["dt_budget_state", "paused_until_ms = 'Infinity'"],
    ["dt_budget_limit", "max = 0"],
    ["dt_budget_limit", "window_ms = 'NaN'"],
    ["dt_budget_limit", "variance = -1"],
    ["dt_budget_limit", "surplus = 'Infinity'"],
    ["dt_budget_limit", "pace_ms = '{}'"],
    ["dt_budget_limit", "pace_ms = '{NULL}'"],
    ["dt_budget_limit", "units = '{1,2}'"],
    ["dt_budget_limit", "units = '{NaN}'"],
    ["dt_budget_limit", "units = '{-1}'"],
    ["dt_budget_limit", "units = '{NULL}'"],
    ["dt_budget_limit", "slots = '{Infinity}'"],
    ["dt_budget_limit", "slots = '{2,1}', units = '{1,1}'"],
    ["dt_budget_limit", "place = place + 1"],
  ])("%s: %s is said with the budget and the remedy, and a reset makes it good", async (table, change) => {
    const store = openPatientStore();
    await store.spend("b", ample());
    await admin.run(`UPDATE ${schema}.${table} SET ${change}`);
    for (const call of [() => store.spend("b", ample()), () => store.inspectBudget("b")])
      expect(await failure(call())).toMatchObject({
        code: "DT_STORE_DATA",
        effect: "definite",
        message: expect.stringMatching(new RegExp(`budget b in ${table} holds .*call resetBudget\\(name\\)`)),
      });
    expect(await store.spend("other", ample())).toMatchObject({ granted: true });
    await store.resetBudget("b");
    expect(await store.inspectBudget("b")).toBeUndefined();
    expect(await store.spend("b", ample())).toMatchObject({ granted: true, rests: [AMPLE.max - 1] });
  });
});

describe("a budget that has lost a table", () => {
  test("goes on with the limits and leases that are known, where its row is gone", async () => {
    const store = openPatientStore();
    const request = ample();
    await store.spend("b", request);
    await admin.run(`UPDATE ${schema}.dt_budget_state SET writes = 255`);
    for (let i = 0; i < 2; i++) await store.spend("b", ample());
    expect(await admin.number(`SELECT turn FROM ${schema}.dt_budget_state`)).toBe(1);
    await admin.run(`TRUNCATE ${schema}.dt_budget_state`);
    expect(await store.spend("b", request)).toMatchObject({ granted: true, rests: [AMPLE.max - 3] });
    expect(await store.inspectBudget("b")).toMatchObject({ open: 3, limits: [{ spent: 3 }] });
  });

  test("is forgotten whole by a reset, where its row is gone", async () => {
    const store = openPatientStore();
    await store.spend("b", ample());
    await admin.run(`TRUNCATE ${schema}.dt_budget_state`);
    await store.resetBudget("b");
    expect(await store.spend("b", ample())).toMatchObject({ rests: [AMPLE.max - 1] });
  });

  test("takes over nothing of another budget that had its id", async () => {
    const store = openPatientStore();
    await store.spend("b", ample());
    await admin.run(`TRUNCATE ${schema}.dt_budget RESTART IDENTITY`);
    expect(await store.spend("other", ample())).toMatchObject({ rests: [AMPLE.max - 1] });
  });
});
