import type { DtError, SpendRequest } from "@dt/core";
import { timed, until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { spendRequest } from "@dt-tooling/simulator/requests";
import { beforeEach, describe, expect, test } from "vitest";
import { admin, openPatientStore, openProxy, schema, useOwnServer } from "./support/own-server.ts";
import { AMPLE, ample, only } from "./support/spend-requests.ts";

useOwnServer({ config: { shared_preload_libraries: "pg_stat_statements", autovacuum: "off" } });

beforeEach(() => admin.run("CREATE EXTENSION IF NOT EXISTS pg_stat_statements"));

describe("at the same time", () => {
  test("forty stores spend what there is, and no unit more, and settle it", async () => {
    const some = Array.from({ length: 40 }, () => openPatientStore());
    const asked = await Promise.all(
      some.map(async (store) => {
        const request = spendRequest();
        return { store, id: request.reserve.id, answer: await store.spend("b", request) };
      }),
    );
    const granted = asked.filter(({ answer }) => answer.granted);
    expect(granted).toHaveLength(10);
    const settled = granted.map(({ store, id }) =>
      store.spend("b", only({ settle: [{ id, costs: [1, 20], measured: true }] })),
    );
    await Promise.all(settled);
    expect(await some[0]?.inspectBudget("b")).toMatchObject({ limits: [{ spent: 10 }, { spent: 200 }], open: 0 });
  });

  test("hundreds of calls wait for the pool's connections and are all answered", async () => {
    const store = openPatientStore({ timeout: "20s" });
    const given = await Promise.all(Array.from({ length: 300 }, () => store.spend("crowd", ample())));
    expect(given.map(({ granted }) => granted)).toEqual(given.map(() => true));
    expect(Math.min(...given.map(({ rests }) => rests[0] as number))).toBe(AMPLE.max - 300);
  });

  test("twenty stores make one budget that none had", async () => {
    const some = Array.from({ length: 20 }, () => openPatientStore());
    for (let round = 0; round < 3; round++) {
      await Promise.all(some.map((store) => store.spend(`new ${round}`, ample())));
      expect(await some[0]?.inspectBudget(`new ${round}`)).toMatchObject({ open: 20, limits: [{ spent: 20 }] });
    }
  });
});

describe("names", () => {
  test("of budgets are apart from each other, from keys of permits and from groups", async () => {
    const store = openPatientStore();
    for (const name of ["b", "b ", "B", "'; DROP TABLE x; --", "\\", "$$", "ünï 🚦", "\r\n\t", "x".repeat(1_024)]) {
      expect(await store.spend(name, spendRequest()), name).toMatchObject({ rests: [9, 900] });
      expect(await store.spend(name, spendRequest()), name).toMatchObject({ rests: [8, 800] });
    }
    expect(await store.inspect("b")).toMatchObject({ memberCount: 0 });
    expect(await store.inspectPermits("b")).toBeUndefined();
  });

  test("of limits, leases and terms may be any", async () => {
    const store = openPatientStore();
    const names = ["a b", "1,2", '"', "{}", "NULL", " ", "ünï \r\n 'x' \\", "x".repeat(128)];
    const limits = names.map((name, i) => ({ name, max: 100 + i, windowMs: 60_000, burst: 1 }));
    const costs = names.map(() => 0.5);
    for (const [i, name] of names.entries()) {
      const settle = names.slice(0, i).map((id) => ({ id, costs: names.map(() => 0), measured: true }));
      const request = spendRequest({ id: name, costs, maxWaitMs: 1e9 }, { limits, terms: "a 'b'", settle });
      expect(await store.spend("b", request), name).toMatchObject({ granted: true });
    }
    expect(await store.inspectBudget("b")).toMatchObject({
      ...{ open: 1, terms: "a 'b'" },
      limits: limits.map(({ name, max }) => ({ name, max, spent: 0.5 })),
    });
  });
});

describe("a request", () => {
  const pages = async (budget: string): Promise<number> => {
    const counts: number[] = [];
    for (let i = 0; i < 15; i++) {
      const call = `SELECT * FROM ${schema}.dt_spend('${budget}', ARRAY['calls'], '{1000000}', '{60000}', '{1000000}', '{0}', NULL, NULL,
        '{}', '{}', '{}', '{}', '{}', '{}', 0, 'l${i}-${Math.random()}', '{1}', 0, 0, 60000, false, 1000, false)`;
      const [row] = await admin.rows(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${call}`);
      const [{ Plan: plan }] = (row as { "QUERY PLAN": [{ Plan: Record<string, number> }] })["QUERY PLAN"];
      counts.push((plan["Shared Hit Blocks"] as number) + (plan["Shared Read Blocks"] as number));
    }
    return counts.sort((a, b) => a - b)[7] as number;
  };

  test("is one statement, whatever it settles, states and reserves; the store sends no other", async () => {
    const store = openPatientStore();
    await store.spend("b", ample());
    await admin.rows("SELECT pg_stat_statements_reset()");
    const requests = Array.from({ length: 50 }, () => ample());
    for (const request of requests) await store.spend("b", request);
    const settle = requests.map(({ reserve }) => ({ id: reserve.id, costs: [2], measured: true }));
    await store.spend("b", { ...ample(), settle, stated: [{ limit: 0, rest: 5, resetMs: 1_000 }], pauseMs: 1 });
    const sent = await admin.rows(
      "SELECT sum(calls)::int AS calls, max(query) AS query FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'",
    );
    expect(sent).toEqual([{ calls: 51, query: expect.stringContaining(`FROM "${schema}".dt_spend(`) }]);
  });

  test("looks at hardly more pages after thousands of leases than after a few, also while an old transaction is open", async () => {
    const store = openPatientStore();
    for (const budget of ["few", "many"]) await store.spend(budget, ample());
    const few = await pages("few");
    await using _held = await admin.hold(
      "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM pg_class LIMIT 1",
    );
    // Leases that were settled, and some that are known.
    await admin.run(`
      INSERT INTO ${schema}.dt_budget_lease (budget_id, id, at_ms, tier, wait_ms, costs, forget_at_ms)
        SELECT budget_id, 'settled ' || i, last_ms, 0, 0, '{1}', last_ms + i FROM ${schema}.dt_budget_state, generate_series(1, 3000) i;
      DELETE FROM ${schema}.dt_budget_lease WHERE id LIKE 'settled%';
      INSERT INTO ${schema}.dt_budget_lease (budget_id, id, at_ms, tier, wait_ms, costs, forget_at_ms)
        SELECT budget_id, 'known ' || i, last_ms, 0, 0, '{1}', last_ms + 1e6 + i FROM ${schema}.dt_budget_state, generate_series(1, 3000) i`);
    for (let i = 0; i < 300; i++) await store.spend("many", ample());
    expect(await admin.number(`SELECT pg_relation_size('${schema}.dt_budget_lease') / 8192`)).toBeGreaterThan(50);
    expect(await pages("many")).toBeLessThan(few + 100);
  });

  test.each([
    ["full windows of fractions", 241, "i + random()"],
    ["full windows and as much as one and a half reserved ahead, in whole numbers", 600, "i + floor(random() * 1000)"],
  ])("to limits with %s changes rows where they are", async (_, slots, units) => {
    const store = openPatientStore();
    const limits = ["requests of an organisation", "tokens of an organisation"].map((name) => ({ ...AMPLE, name }));
    const request = () => spendRequest({ costs: [1, 500], tier: 1 }, { limits, keeps: [0, 0.1, 0.2] });
    await store.spend("b", request());
    await admin.run(`UPDATE ${schema}.dt_budget_limit l SET
      slots = (SELECT array_agg(slots[1] - 240 + i ORDER BY i) FROM generate_series(0, ${slots} - 1) i),
      units = (SELECT array_agg(${units} ORDER BY i) FROM generate_series(0, ${slots} - 1) i)`);
    for (let i = 0; i < 200; i++) await store.spend("b", request());
    const table = `${schema}.dt_budget_limit`;
    expect(await admin.number(`SELECT min(cardinality(slots)) FROM ${table}`)).toBeGreaterThan(slots - 100);
    expect(await admin.number(`SELECT pg_relation_size('${table}') / 8192`)).toBeLessThan(8);
    const toast = `SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE oid = '${table}'::regclass`;
    expect(await admin.number(toast)).toBe(0);
  });

  test("that reserves, charges a debt, states a rest or pauses waits for the disk; a refusal, a repeat and a refund do not", async () => {
    const store = openPatientStore();
    const [first, second] = [spendRequest({ costs: [1, 900] }), spendRequest({ costs: [1, 100] })];
    await store.spend("b", only({}));
    const modes = async (request: SpendRequest): Promise<unknown[]> => {
      await admin.run(`
        CREATE TABLE IF NOT EXISTS ${schema}.modes (mode text);
        TRUNCATE ${schema}.modes;
        CREATE OR REPLACE FUNCTION ${schema}.note_mode() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN INSERT INTO ${schema}.modes VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
        DROP TRIGGER IF EXISTS note_mode ON ${schema}.dt_budget_state;
        CREATE CONSTRAINT TRIGGER note_mode AFTER INSERT OR UPDATE ON ${schema}.dt_budget_state
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ${schema}.note_mode()`);
      await store.spend("b", request);
      return (await admin.rows(`SELECT mode FROM ${schema}.modes`)).map(({ mode }) => mode);
    };
    const settled = (id: string, tokens: number): SpendRequest =>
      only({ settle: [{ id, costs: [1, tokens], measured: true }] });
    expect(await modes(first)).toEqual(["on"]);
    expect(await modes(first)).toEqual(["off"]);
    expect(await modes(spendRequest({ costs: [1, 200] }))).toEqual(["off"]);
    expect(await modes(second)).toEqual(["on"]);
    expect(await modes(settled(first.reserve.id, 1_000))).toEqual(["on"]);
    expect(await modes(settled(second.reserve.id, 10))).toEqual(["off"]);
    expect(await modes(only({ stated: [{ limit: 0, rest: 0, resetMs: 1_000 }] }))).toEqual(["on"]);
    expect(await modes(only({ pauseMs: 1_000 }))).toEqual(["on"]);
    expect(await modes(only({}))).toEqual(["off"]);
  });
});

describe("a call", () => {
  test("is refused at the door when what it is given is malformed", async () => {
    const store = openPatientStore();
    for (const call of [
      store.spend("", spendRequest()),
      store.spend("b", spendRequest({ costs: [1] })),
      store.spend("b", spendRequest({ costs: [Number.NaN, 1] })),
      store.inspectBudget(""),
      store.resetBudget("b\0"),
    ])
      expect(await failure(call)).toMatchObject({ code: "DT_INVALID_OPTION" });
  });

  test("settles by its deadline when the network is silent, and as refused while its budget is locked", async () => {
    const { proxy, connectionString } = await openProxy();
    const store = openPatientStore({ connectionString, timeout: "1s" });
    const request = spendRequest();
    await store.spend("b", request);
    {
      await using _held = await admin.hold(`SELECT * FROM ${schema}.dt_budget_state FOR UPDATE`);
      for (const call of [() => store.spend("b", spendRequest()), () => store.resetBudget("b")])
        expect(await failure(call())).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "definite" });
    }
    proxy.apply({ type: "stall" });
    for (const { value, ms } of await Promise.all(
      [store.spend("b", spendRequest()), store.inspectBudget("b")].map((call) => timed(failure(call))),
    )) {
      expect((value as DtError).code).toMatch(/^DT_STORE_(TIMEOUT|UNAVAILABLE)$/);
      expect(ms).toBeLessThan(1_600);
    }
    proxy.strand();
    await until("it works again", 20_000, () =>
      store.spend("b", request).then(
        () => true,
        () => false,
      ),
    );
    expect((await store.inspectBudget("b"))?.open).toBeLessThanOrEqual(2);
  });

  test("with amounts so small that their products are 0 is answered", async () => {
    const store = openPatientStore();
    for (const estimate of [5e-324, 1e-200, 1e-160]) {
      const request = spendRequest({ costs: [1, estimate] });
      await store.spend("b", request);
      const settle = [{ id: request.reserve.id, costs: [1, estimate / 2], measured: true }];
      expect(await store.spend("b", only({ settle }))).toMatchObject({ rests: [expect.any(Number), 1_000] });
    }
  });
});

test("processes of other terms are refused, without effect, until a reset", async () => {
  const [store, other] = [openPatientStore(), openPatientStore()];
  await store.spend("b", spendRequest({}, { terms: "10 a minute" }));
  const mine = spendRequest({}, { terms: "20 a minute", pauseMs: 10_000 });
  expect(await failure(other.spend("b", mine))).toMatchObject({
    code: "DT_PACE_MISMATCH",
    message: expect.stringContaining('"10 a minute", and this request asks for "20 a minute"'),
  });
  expect(await other.inspectBudget("b")).toMatchObject({ terms: "10 a minute", open: 1, pausedForMs: 0 });
  await other.resetBudget("b");
  expect(await other.spend("b", mine)).toMatchObject({ limitedBy: -1 });
});

test("a reset waits for the call that has the budget, and the next call finds nothing of it", async () => {
  const [store, other] = [openPatientStore(), openPatientStore()];
  await store.spend("b", spendRequest());
  await Promise.all(
    Array.from({ length: 30 }, (_, i) => (i % 3 === 0 ? other.resetBudget("b") : store.spend("b", spendRequest()))),
  );
  await other.resetBudget("b");
  expect(await store.listBudgets()).toEqual({ budgets: [] });
  expect(await store.spend("b", spendRequest())).toMatchObject({ rests: [9, 900] });
});
