import { createPacer, type DtError } from "@dt/core";
import { instantOf } from "@dt/core/ledger";
import { timed, until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { permitRequest } from "@dt-tooling/simulator/requests";
import { beforeEach, describe, expect, test } from "vitest";
import { admin, openPatientStore, openProxy, schema, useOwnServer } from "./support/own-server.ts";
import { TestClock } from "./support/test-clock.ts";

useOwnServer({ config: { shared_preload_libraries: "pg_stat_statements", autovacuum: "off" } });

beforeEach(() => admin.run("CREATE EXTENSION IF NOT EXISTS pg_stat_statements"));

const ahead = { maxReserved: 10_000, everyMs: 10, keepMs: 60_000 };

test("forty stores at once keep the distance, and each instant is given once", async () => {
  const some = Array.from({ length: 40 }, () => openPatientStore());
  const given = await Promise.all(some.map((store) => store.reserve("k", permitRequest({ ...ahead, everyMs: 33.3 }))));
  const instants = given.map((reservation) => instantOf(reservation, 0)).sort((a, b) => a - b);
  for (const [i, instant] of instants.slice(1).entries())
    expect(instant - (instants[i] as number)).toBeGreaterThanOrEqual(33.299);
});

test("hundreds of calls at once wait for the pool's connections and are all answered", async () => {
  const store = openPatientStore({ timeout: "20s" });
  const given = await Promise.all(Array.from({ length: 300 }, () => store.reserve("crowd", permitRequest(ahead))));
  expect(given.map(({ granted }) => granted)).toEqual(given.map(() => 1));
});

test("keys of any name are apart from each other and from groups", async () => {
  const store = openPatientStore();
  for (const name of ["k", "k ", "K", "'; DROP TABLE x; --", "\\", "$$", "ünï 🚦", "\r\n\t", "x".repeat(1_024)]) {
    expect(await store.reserve(name, permitRequest()), name).toMatchObject({ granted: 1 });
    expect(await store.reserve(name, permitRequest()), name).toMatchObject({ granted: 0 });
  }
  expect(await store.inspect("k")).toMatchObject({ memberCount: 0 });
});

describe("listeners of a key", () => {
  test("hear of what is given back on it, and of nothing else", async () => {
    const [store, other] = [openPatientStore({ hints: true }), openPatientStore({ hints: true })];
    const hints: string[] = [];
    await store.onPermitHint?.("k", () => void hints.push("k"));
    await store.onPermitHint?.("last", () => void hints.push("last"));
    await store.onHint?.("k", () => void hints.push("group"));
    const request = permitRequest(ahead);
    for (const key of ["k", "other", "last"]) await other.reserve(key, request);
    await other.release("other", { id: request.id, keep: 0 });
    await other.release("k", { id: "nobody's", keep: 0 });
    await other.release("k", { id: request.id, keep: 1 });
    for (let twice = 0; twice < 2; twice++) await other.release("k", { id: request.id, keep: 0 });
    await other.release("last", { id: request.id, keep: 0 });
    await until("the last hint came", 10_000, () => hints.includes("last"));
    expect(hints).toEqual(["k", "last"]);
  });

  test("wake a pacer that was refused, long before its permit would be due", async () => {
    const [store, other] = [openPatientStore({ hints: true }), openPatientStore({ hints: true })];
    const options = { everyMs: 60_000, keepMs: 120_000, maxReserved: 5 };
    for (const id of ["1", "2"]) await other.reserve("k", permitRequest({ ...options, id }));
    const pacer = createPacer({ name: "k", every: "60s", maxReserved: 0, store });
    let woken = false;
    const waiting = pacer.acquire(1, { timeout: "30s" }).then((permit) => {
      woken = true;
      return permit;
    });
    await until(
      "it is in the queue",
      10_000,
      async () => (await admin.number(`SELECT count(*) FROM ${schema}.dt_permit_queue`)) === 1,
    );
    for (const id of ["2", "1"]) await other.release("k", { id, keep: 0 });
    // The hint may have come before the pacer listened: others follow it.
    await until("it is woken", 10_000, async () => {
      const more = permitRequest({ ...options, everyMs: 1 });
      await other.reserve("k", more);
      await other.release("k", { id: more.id, keep: 0 });
      return woken;
    });
    expect(await waiting).toBeDefined();
    await pacer.stop();
  });

  test("need hints: without them there is no listening", () => {
    expect(openPatientStore().onPermitHint).toBeUndefined();
  });
});

describe("a reservation", () => {
  const pages = async (key: string): Promise<number> => {
    const counts: number[] = [];
    for (let i = 0; i < 15; i++) {
      const call = `SELECT * FROM ${schema}.dt_reserve('${key}', 'p${i}-${Math.random()}', 1, 1, 10, 1, 100000, 60000, 0, 1000, NULL, NULL, 0, false)`;
      const [row] = await admin.rows(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${call}`);
      const [{ Plan: plan }] = (row as { "QUERY PLAN": [{ Plan: Record<string, number> }] })["QUERY PLAN"];
      counts.push((plan["Shared Hit Blocks"] as number) + (plan["Shared Read Blocks"] as number));
    }
    return counts.sort((a, b) => a - b)[7] as number;
  };

  test("is one statement, and so is a release; the store sends no other", async () => {
    const store = openPatientStore();
    await store.reserve("k", permitRequest());
    await admin.rows("SELECT pg_stat_statements_reset()");
    const requests = Array.from({ length: 50 }, () => permitRequest(ahead));
    for (const request of requests) await store.reserve("k", request);
    for (const { id } of requests) await store.release("k", { id, keep: 0 });
    const sent = await admin.rows(
      "SELECT calls::int, query FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%' ORDER BY query",
    );
    expect(sent).toEqual([
      { calls: 50, query: expect.stringContaining(`FROM "${schema}".dt_release(`) },
      { calls: 50, query: expect.stringContaining(`FROM "${schema}".dt_reserve(`) },
    ]);
  });

  test("looks at hardly more pages after thousands than after a few, also while an old transaction is open", async () => {
    const store = openPatientStore();
    for (const key of ["few", "many"]) await store.reserve(key, permitRequest(ahead));
    const few = await pages("few");
    await using _held = await admin.hold(
      "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM pg_class LIMIT 1",
    );
    // What is left of reservations that are forgotten at once, of requests that left the queue, and of instants given
    // back that are past.
    await admin.run(`DO $$ BEGIN FOR i IN 1..1000 LOOP
      PERFORM ${schema}.dt_reserve('many', 'taken' || i, 1, 1, 0.0001, 1, 1000000, 0, 0, 1000, NULL, NULL, 0, false);
    END LOOP;
    PERFORM ${schema}.dt_reserve('many', 'far', 1, 1, 60000, 1, 5, 0, 0, 1000, NULL, NULL, 0, false);
    FOR i IN 1..1000 LOOP
      PERFORM ${schema}.dt_reserve('many', 'waiting' || i, 1, 1, 60000, 1, 0, 0, 1, 1000, NULL, NULL, 0, false);
      PERFORM ${schema}.dt_release('many', 'waiting' || i, 0, 1000, NULL);
    END LOOP; END $$`);
    await admin.run(`
      INSERT INTO ${schema}.dt_permit_freed SELECT key_id, last_ms - i, i, 1 FROM ${schema}.dt_permit_state, generate_series(1, 2000) i;
      DELETE FROM ${schema}.dt_permit_freed`);
    for (const table of ["dt_permit", "dt_permit_freed", "dt_permit_queue"])
      expect(await admin.number(`SELECT pg_relation_size('${schema}.${table}') / 8192`), table).toBeGreaterThan(5);
    expect(await pages("many")).toBeLessThan(few + 15);
  });

  test("waits for the disk; a refusal, a repeat and a release do not", async () => {
    const store = openPatientStore();
    await store.reserve("k", permitRequest({ everyMs: 1 }));
    const modes = async (act: () => Promise<unknown>): Promise<unknown[]> => {
      await admin.run(`
        CREATE TABLE IF NOT EXISTS ${schema}.modes (mode text);
        TRUNCATE ${schema}.modes;
        CREATE OR REPLACE FUNCTION ${schema}.note_mode() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN INSERT INTO ${schema}.modes VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
        DROP TRIGGER IF EXISTS note_mode ON ${schema}.dt_permit_state;
        CREATE CONSTRAINT TRIGGER note_mode AFTER INSERT OR UPDATE ON ${schema}.dt_permit_state
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ${schema}.note_mode()`);
      await act();
      return (await admin.rows(`SELECT mode FROM ${schema}.modes`)).map(({ mode }) => mode);
    };
    const request = permitRequest({ everyMs: 60_000, maxReserved: 5, keepMs: 600_000 });
    expect(await modes(() => store.reserve("k", request))).toEqual(["on"]);
    expect(await modes(() => store.reserve("k", request))).toEqual(["off"]);
    expect(await modes(() => store.reserve("k", permitRequest({ everyMs: 60_000 })))).toEqual(["off"]);
    expect(await modes(() => store.release("k", { id: request.id, keep: 0 }))).toEqual(["off"]);
  });
});

test("keys of which nothing is to come are forgotten with all they had, two whenever one is new; those in use stay", async () => {
  const store = openPatientStore();
  const bornMs: Record<string, number> = {};
  for (const key of ["a", "b", "c", "used"]) {
    const requests = [1, 2, 3].map(() => permitRequest(ahead));
    for (const request of requests) {
      const { storeTimeMs } = await store.reserve(key, request);
      bornMs[key] ??= storeTimeMs;
    }
    await store.release(key, { id: requests[1]?.id as string, keep: 0 });
    await store.reserve(key, permitRequest({ queueMs: 5, everyMs: 10 }));
  }
  const kept = await admin.rows(
    `SELECT name, keep_until_ms FROM ${schema}.dt_permit_state s JOIN ${schema}.dt_permit_key k ON k.id = s.key_id
    WHERE name IN ('a', 'b', 'c', 'used')`,
  );
  expect(kept).toHaveLength(4);
  // A minute beyond what the first reservation needed, and not moved by the next ones.
  for (const { name, keep_until_ms: ms } of kept)
    expect(Number(ms) - (bornMs[String(name)] as number)).toBeCloseTo(120_000, 2);
  // Also for those in the queue, behind one for a minute.
  await store.reserve("used", permitRequest({ ...ahead, everyMs: 60_000 }));
  await store.reserve("used", permitRequest({ everyMs: 1_000, queueMs: 500_000 }));
  expect(await admin.number(`SELECT max(keep_until_ms - last_ms) FROM ${schema}.dt_permit_state`)).toBeGreaterThan(
    500_000,
  );
  await admin.run(`UPDATE ${schema}.dt_permit_state SET keep_until_ms = 1
    WHERE key_id <> (SELECT id FROM ${schema}.dt_permit_key WHERE name = 'used')`);
  const names = async (): Promise<unknown[]> =>
    (await admin.rows(`SELECT name FROM ${schema}.dt_permit_key ORDER BY name`)).map(({ name }) => name);
  await store.reserve("used", permitRequest());
  expect(await names()).toEqual(["a", "b", "c", "used"]);
  await store.reserve("new", permitRequest());
  expect(await names()).toHaveLength(3);
  await store.reserve("newer", permitRequest());
  expect(await names()).toEqual(["new", "newer", "used"]);
  for (const table of ["dt_permit", "dt_permit_freed", "dt_permit_queue", "dt_permit_state"])
    expect(
      await admin.number(
        `SELECT count(*) FROM ${schema}.${table} WHERE key_id NOT IN (SELECT id FROM ${schema}.dt_permit_key)`,
      ),
    ).toBe(0);
});

describe("a call", () => {
  test("is refused at the door when what it is given is malformed", async () => {
    const store = openPatientStore({ hints: true });
    for (const call of [
      store.reserve("", permitRequest()),
      store.reserve("k", permitRequest({ burst: 0 })),
      store.release("k", { id: "x", keep: 0.5 }),
      store.onPermitHint?.("", () => {}) as Promise<unknown>,
    ])
      expect(await failure(call)).toMatchObject({ code: "DT_INVALID_OPTION" });
  });

  test("settles by its deadline when the network is silent, and as refused while its key is locked", async () => {
    const { proxy, connectionString } = await openProxy();
    const store = openPatientStore({ connectionString, timeout: "1s" });
    const request = permitRequest(ahead);
    await store.reserve("k", request);
    {
      await using _held = await admin.hold(`SELECT * FROM ${schema}.dt_permit_state FOR UPDATE`);
      const locked = await timed(failure(store.reserve("k", permitRequest(ahead))));
      expect(locked.value).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "definite" });
    }
    proxy.apply({ type: "stall" });
    for (const { value, ms } of await Promise.all(
      [store.reserve("k", permitRequest(ahead)), store.release("k", { id: request.id, keep: 0 })].map((call) =>
        timed(failure(call)),
      ),
    )) {
      expect((value as DtError).code).toMatch(/^DT_STORE_(TIMEOUT|UNAVAILABLE)$/);
      expect(ms).toBeLessThan(1_600);
    }
    proxy.strand();
    await until("it works again", 20_000, () =>
      store.reserve("k", request).then(
        () => true,
        () => false,
      ),
    );
  });
});

describe("a key whose data is not what was written", () => {
  test.each(["tat_ms = 'NaN'", "last_ms = 'Infinity'", "offset_ms = 1e300"])(
    "%s: is said with the key and the remedy, and a reset makes it good",
    async (change) => {
      const store = openPatientStore();
      await store.reserve("k", permitRequest());
      await admin.run(`UPDATE ${schema}.dt_permit_state SET ${change}`);
      for (const call of [() => store.reserve("k", permitRequest()), () => store.release("k", { id: "r", keep: 0 })])
        expect(await failure(call())).toMatchObject({
          code: "DT_STORE_DATA",
          effect: "definite",
          message: expect.stringMatching(/^the row of key k in dt_permit_state holds .*call resetPermits\(key\)/),
        });
      expect(await store.reserve("other", permitRequest())).toMatchObject({ granted: 1 });
      await store.resetPermits("k");
      expect(await store.reserve("k", permitRequest())).toMatchObject({ granted: 1 });
    },
  );
});

test("processes of other terms are refused, and a reset ends a block and wakes those who wait", async () => {
  const [store, other] = [openPatientStore({ hints: true }), openPatientStore({ hints: true })];
  const slow = createPacer({ name: "k", every: "1h", store });
  expect(await slow.tryAcquire(24)).toMatchObject({ lateMs: expect.any(Number) });
  const fast = createPacer({ name: "k", every: "10ms", store: other });
  expect(await failure(fast.acquire())).toMatchObject({
    code: "DT_PACE_MISMATCH",
    message: expect.stringContaining('"every 3600000 ms, burst 1", and this request asks for "every 10 ms, burst 1"'),
  });
  let told = 0;
  const endHints = await other.onPermitHint?.("k", () => {
    told += 1;
  });
  await store.resetPermits("k");
  await until("the listener is told", 10_000, () => told > 0);
  endHints?.();
  expect(await fast.tryAcquire()).toMatchObject({ lateMs: expect.any(Number) });
  await Promise.all([slow.stop(), fast.stop()]);
});

test("a key is kept by the server's clock, also when the key's time is a day ahead since that clock went back", async () => {
  const store = openPatientStore();
  await store.inspect("g");
  const clock = await TestClock.install(admin, schema);
  const nowMs = 1_800_000_000_000;
  const dayMs = 86_400_000;
  for (const ms of [nowMs + dayMs, nowMs, nowMs + dayMs + 100_000]) {
    await clock.set(ms);
    await store.reserve("k", permitRequest());
  }
  const keptMs = await admin.number(`SELECT keep_until_ms FROM ${schema}.dt_permit_state`);
  expect(keptMs - (nowMs + dayMs + 100_000)).toBe(61_000);
});
