import { DatabaseSync } from "node:sqlite";
import { createPacer } from "@dt/core";
import * as ledger from "@dt/core/ledger";
import { failure } from "@dt-tooling/backends/failure";
import {
  compareEdges,
  comparePermits,
  REACHABLE,
  type Reached,
  type TimedLedger,
} from "@dt-tooling/simulator/permit-operations";
import { permitRequest } from "@dt-tooling/simulator/requests";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { BUSY, Connection } from "../src/connection.ts";
import { SqlitePermitTable } from "../src/permits/sqlite-permit-table.ts";
import { Sandbox } from "./support/sandbox.ts";
import { until } from "./support/until.ts";

const sandbox = new Sandbox();

describe("the tables and those of @dt/core agree", () => {
  const everReached = new Set<Reached>();
  const startMs = 1_800_000_000_000;
  let connection: Connection;
  let subject: TimedLedger;
  beforeEach(() => {
    const opened = Connection.open(sandbox.path());
    if (opened === BUSY) throw new Error("a new file is locked");
    connection = opened;
    const run = async <T>(key: string, clockMs: number, act: (table: SqlitePermitTable) => T): Promise<T> => {
      const result = opened.transaction("write", (statements) => act(new SqlitePermitTable(statements, key, clockMs)));
      if (result === BUSY) throw new Error("the file is locked");
      return result;
    };
    subject = {
      reserve: (key, request, clockMs) => run(key, clockMs, (table) => ledger.reservePermits(table, request, clockMs)),
      release: async (key, release, clockMs) => {
        await run(key, clockMs, (table) => ledger.releasePermits(table, release, clockMs));
      },
      reset: async (key, clockMs) => run(key, clockMs, (table) => ledger.resetPermits(table, clockMs)),
      inspect: async (key, clockMs) => run(key, clockMs, (table) => ledger.inspectPermits(table, key, clockMs)),
    };
  });
  afterEach(() => connection.close());
  afterAll(() => expect([...everReached].sort()).toEqual([...REACHABLE].sort()));

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])("over 400 random operations, seed %i", async (seed) => {
    for (const what of await comparePermits(subject, { seed, operations: 400, startMs })) everReached.add(what);
  });

  it("at the edges that chance seldom comes to", () => compareEdges(subject, startMs));
});

it("keys of which nothing is to come are forgotten with all they had, two whenever one is new; those in use stay", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  const bornMs: Record<string, number> = {};
  for (const key of ["a", "b", "c", "used"]) {
    const request = permitRequest({ keepMs: 1, everyMs: 10_000, maxReserved: 5 });
    for (const id of [1, 2, 3]) {
      const { storeTimeMs } = await store.reserve(key, { ...request, id: `${key}${id}` });
      bornMs[key] ??= storeTimeMs;
    }
    await store.reserve(key, permitRequest({ everyMs: 10_000, queueMs: 5 }));
    await store.release(key, { id: `${key}2`, keep: 0 });
  }
  const database = new DatabaseSync(path);
  const names = (): unknown[] =>
    database
      .prepare("SELECT name FROM permit_keys ORDER BY name")
      .all()
      .map(({ name }) => name);
  const keptMs = (key: string): number => {
    const row = database.prepare("SELECT keep_until_ms AS until FROM permit_keys WHERE name = ?").get(key);
    return (row as { until: number }).until - (bornMs[key] as number);
  };
  // A minute beyond what the first reservation needed, and not moved by the next ones.
  expect(keptMs("a")).toBe(70_000);
  // Also for those in the queue.
  await store.reserve("used", permitRequest({ everyMs: 1_000, queueMs: 500_000 }));
  expect(keptMs("used")).toBeGreaterThan(500_000);
  database.exec("UPDATE permit_keys SET keep_until_ms = 1 WHERE name != 'used'");
  await store.reserve("used", permitRequest());
  expect(names()).toEqual(["a", "b", "c", "used"]);
  await store.reserve("new", permitRequest());
  expect(names()).toHaveLength(3);
  await store.reserve("newer", permitRequest());
  expect(names()).toEqual(["new", "newer", "used"]);
  for (const table of ["permits", "freed_permits", "permit_queue"])
    expect(database.prepare(`SELECT DISTINCT key_id FROM ${table}`).all().length).toBeLessThanOrEqual(3);
  const orphans = "SELECT 1 FROM permits WHERE key_id NOT IN (SELECT key_id FROM permit_keys)";
  expect(database.prepare(orphans).all()).toEqual([]);
  database.close();
});

it("a key is kept by the machine's clock, also when the key's time is a day ahead since that clock went back", () => {
  const path = sandbox.path();
  const connection = Connection.open(path);
  if (connection === BUSY) throw new Error("a new file is locked");
  const nowMs = 1_800_000_000_000;
  const dayMs = 86_400_000;
  for (const clockMs of [nowMs + dayMs, nowMs, nowMs + dayMs + 100_000])
    connection.transaction("write", (statements) =>
      ledger.reservePermits(new SqlitePermitTable(statements, "k", clockMs), permitRequest(), clockMs),
    );
  connection.close();
  const database = new DatabaseSync(path);
  const { until: untilMs } = database.prepare("SELECT keep_until_ms AS until FROM permit_keys").get() as {
    until: number;
  };
  expect(untilMs - (nowMs + dayMs + 100_000)).toBe(61_000);
  database.close();
});

it("an instant given back by another process wakes who listens to its key, and nobody else", async () => {
  const path = sandbox.path();
  const [store, other] = [sandbox.store(path), sandbox.store(path)];
  const hints: string[] = [];
  for (const key of ["k", "other"]) await store.onPermitHint(key, () => void hints.push(key));
  await store.onHint("k", () => void hints.push("group"));
  const reserve = async (key: string): Promise<void> => {
    for (const id of ["1", "2"]) await other.reserve(key, permitRequest({ id, maxReserved: 5 }));
  };
  await reserve("k");
  await other.release("k", { id: "2", keep: 0 });
  await until("the listener is told", () => hints.length > 0);
  await reserve("other");
  await other.release("other", { id: "nobody's", keep: 0 });
  await other.release("other", { id: "2", keep: 0 });
  await until("the other listener is told", () => hints.includes("other"));
  expect(hints).toEqual(["k", "other"]);
});

it("a pacer that was refused goes on as soon as another process gives its instant back", async () => {
  const path = sandbox.path();
  const [store, other] = [sandbox.store(path), sandbox.store(path)];
  const options = { everyMs: 60_000, keepMs: 120_000, maxReserved: 5 };
  for (const id of ["1", "2"]) await other.reserve("k", permitRequest({ ...options, id }));
  const pacer = createPacer({ name: "k", every: "60s", maxReserved: 0, store });
  expect(await pacer.tryAcquire()).toBeUndefined();
  const waiting = pacer.acquire(1, { timeout: "30s" });
  await until("it is in the queue", () => {
    const database = new DatabaseSync(path);
    const { waiting: inQueue } = database.prepare("SELECT count(*) AS waiting FROM permit_queue").get() as {
      waiting: number;
    };
    database.close();
    return inQueue === 1;
  });
  let woken = false;
  void waiting.then(() => {
    woken = true;
  });
  // Both are given back: the key is as if nobody had come. The hint may come before the pacer listens, so others follow
  // it.
  for (const id of ["2", "1"]) await other.release("k", { id, keep: 0 });
  await until("the pacer is woken", async () => {
    const more = permitRequest({ ...options, everyMs: 1 });
    await other.reserve("k", more);
    await other.release("k", { id: more.id, keep: 0 });
    return woken;
  });
  expect(await waiting).toBeDefined();
  await pacer.stop();
});

it("what a caller hands in is checked at the door", async () => {
  const store = sandbox.store(sandbox.path());
  expect(await failure(store.reserve("", permitRequest()))).toMatchObject({ code: "DT_INVALID_OPTION" });
  expect(await failure(store.reserve("k", permitRequest({ count: 0 })))).toMatchObject({ code: "DT_INVALID_OPTION" });
  expect(await failure(store.release("k", { id: "x", keep: -1 }))).toMatchObject({ code: "DT_INVALID_OPTION" });
  expect(await failure(store.onPermitHint("", () => {}))).toMatchObject({ code: "DT_INVALID_OPTION" });
});

describe("a key whose data is not what was written", () => {
  it.each(["tat_ms = 1e300", "last_ms = 9e999", "offset_ms = -9e999"])(
    "%s: is said with the key and the remedy, and a reset makes it good",
    async (change) => {
      const path = sandbox.path();
      const store = sandbox.store(path);
      await store.reserve("k", permitRequest());
      const database = new DatabaseSync(path);
      database.exec(`UPDATE permit_keys SET ${change}`);
      for (const call of [store.reserve("k", permitRequest()), store.release("k", { id: "r", keep: 0 })])
        expect(await failure(call)).toMatchObject({
          code: "DT_STORE_DATA",
          message: expect.stringMatching(/^the row of key k in permit_keys holds .*call resetPermits\(key\)/),
        });
      expect(await store.reserve("other", permitRequest())).toMatchObject({ granted: 1 });
      await store.resetPermits("k");
      expect(await store.reserve("k", permitRequest())).toMatchObject({ granted: 1 });
      expect(
        database.prepare("SELECT count(*) AS rows FROM permits JOIN permit_keys USING (key_id) WHERE name = 'k'").get(),
      ).toEqual({ rows: 1 });
      database.close();
    },
  );
});

it("processes of other terms are refused, and a reset ends a block and tells those who wait", async () => {
  const path = sandbox.path();
  const [store, other] = [sandbox.store(path), sandbox.store(path)];
  const slow = createPacer({ name: "k", every: "1h", store });
  expect(await slow.tryAcquire(24)).toMatchObject({ lateMs: expect.any(Number) });
  const fast = createPacer({ name: "k", every: "10ms", store: other });
  expect(await failure(fast.acquire())).toMatchObject({ code: "DT_PACE_MISMATCH" });
  let told = 0;
  const endHints = await other.onPermitHint("k", () => {
    told += 1;
  });
  await store.resetPermits("k");
  await until("the listener is told", () => told > 0);
  endHints();
  expect(await fast.tryAcquire()).toMatchObject({ lateMs: expect.any(Number) });
  await Promise.all([slow.stop(), fast.stop()]);
});

it.each([
  ["permits", "first_ms = 9e999", { id: "1" }],
  ["permits", "step_ms = 9e999", { id: "1" }],
  ["permits", "earliest_ms = -9e999", { id: "1" }],
  ["permits", "tat_before_ms = 9e999", { id: "1" }],
  ["permits", "granted = -1", { id: "1" }],
  ["freed_permits", "at_ms = 9e999", { id: "3" }],
  ["freed_permits", "width_ms = 9e999", { id: "3" }],
])("a row of %s with %s is refused, and forgotten by a reset", async (table, change, request) => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  const options = { everyMs: 1_000, maxReserved: 5, keepMs: 60_000 };
  for (const id of ["0", "1", "2"]) await store.reserve("k", permitRequest({ ...options, id }));
  await store.release("k", { id: "2", keep: 0 });
  await store.reserve("k", permitRequest({ ...options, id: "last" }));
  await store.release("k", { id: "1", keep: 0 });
  await store.reserve("k", permitRequest({ ...options, id: "1" }));
  await store.release("k", { id: "0", keep: 0 });
  const database = new DatabaseSync(path);
  database.exec(`UPDATE ${table} SET ${change}`);
  database.close();
  expect(await failure(store.reserve("k", permitRequest({ ...options, ...request })))).toMatchObject({
    code: "DT_STORE_DATA",
    message: expect.stringMatching(/of key k in .* holds .*call resetPermits\(key\)/),
  });
  await store.resetPermits("k");
  expect(await store.reserve("k", permitRequest(options))).toMatchObject({ granted: 1 });
});
