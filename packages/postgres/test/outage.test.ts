import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import type { DtError, View } from "@dt/core";
import { type PgBouncerServer, type PostgresServer, startPgBouncer, startPostgres, until } from "@dt-tooling/backends";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type PostgresStore, type PostgresStoreOptions, postgresStore } from "../src/index.ts";
import { Admin } from "./support/admin.ts";
import { failure } from "./support/failure.ts";
import { accepted, adopting, newcomer } from "./support/member.ts";
import { SilentProxy } from "./support/silent-proxy.ts";
import { timed } from "./support/timed.ts";

/** A server that stops, dies, loses its data or is cut off: every call settles by its deadline, and afterwards the store works by itself. */

/** The deadline is 1 s; a busy machine may take a while to say so. */
const SETTLED_MS = 1_600;

/** One server for all: every test has a schema of its own. It is killed, stopped and emptied by tests, and works again after each. */
let server: PostgresServer;
let schema: string;
let schemas = 0;

const opened: { close(): unknown }[] = [];
const keep = <T extends { close(): unknown }>(thing: T): T => {
  opened.push(thing);
  return thing;
};

beforeAll(async () => {
  server = await startPostgres({ control: true });
});

beforeEach(() => {
  schema = `outage_${++schemas}`;
});

afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close();
});

afterAll(() => server?.stop());

const openStore = (options: PostgresStoreOptions): PostgresStore => keep(postgresStore({ schema, ...options }));
const openAdmin = (): Admin => keep(new Admin(server.url));

async function openProxy(): Promise<SilentProxy> {
  const proxy = await SilentProxy.start(server);
  keep({ close: () => proxy.stop() });
  return proxy;
}

/** A pool of the user's, with what the README tells to set. */
function openPool(connectionString: string, max = 10): pg.Pool {
  const pool = new pg.Pool({ connectionString, max, connectionTimeoutMillis: 2_000 });
  pool.on("error", () => {});
  keep({ close: () => pool.end() });
  return pool;
}

const kinds = [
  ["a pool of its own", async () => openStore({ connectionString: server.url })],
  ["a pool handed in", async () => openStore({ pool: openPool(server.url) })],
  [
    "a PgBouncer in between",
    async () => {
      const bouncer = await startPgBouncer(server);
      keep({ close: () => bouncer.stop() });
      await retryLoginsSoon(bouncer);
      return openStore({ connectionString: bouncer.url });
    },
  ],
] as const;

describe.each(kinds)("with %s", { timeout: 60_000 }, (kind, storeOn) => {
  test("a stopped server fails every call by its deadline, and the first call after it goes on works", async () => {
    const store = await storeOn();
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = await store.register("g", registration);
    await server.pause();
    for (let seq = 2; seq < 6; seq++) {
      const calls = [
        store.sync("g", registration, adopting(view, seq)),
        store.register("g", newcomer()),
        store.inspect("g"),
      ].map(timed);
      for (const { error, ms } of await Promise.all(calls)) {
        expect((error as DtError).code).toMatch(/^DT_STORE_(TIMEOUT|UNAVAILABLE)$/);
        expect(ms).toBeLessThan(SETTLED_MS);
      }
    }
    await server.resume();
    const after = await timed(store.sync("g", registration, adopting(view, 10)));
    expect(after.error).toBeUndefined();
    expect(accepted(after.value as View).rank).toBe(0);
  });

  test("a killed server fails calls in time, and comes back with its data", async () => {
    const store = await storeOn();
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = accepted(await store.register("g", registration));
    await server.pause();
    const underWay = timed(failure(store.sync("g", registration, adopting(view, 2))));
    await server.kill();
    const lost = await underWay;
    expect(lost.value).toMatchObject({ outcome: "unknown" });
    expect(lost.ms).toBeLessThan(SETTLED_MS);

    const later = await timed(failure(store.sync("g", registration, adopting(view, 3))));
    expect((later.value as DtError).code).toMatch(/^DT_STORE_(TIMEOUT|UNAVAILABLE)$/);
    // A PgBouncer takes the statement before it knows that there is no server.
    if (!kind.includes("PgBouncer")) expect(later.value).toMatchObject({ outcome: "definite" });
    expect(later.ms).toBeLessThan(SETTLED_MS);

    await server.restart({ keepData: true });
    let seq = 10;
    const after = await until("a call works", 20_000, () => store.sync("g", registration, adopting(view, seq++)));
    expect(after).toMatchObject({ generation: view.generation, poolSize: 1, status: "agree" });
  });

  test("a server that comes back empty is set up anew, answers unknown, and takes the claim of a survivor", async () => {
    const store = await storeOn();
    const registration = newcomer({ learningMs: 60_000 });
    const view = accepted(await store.register("g", registration));
    await server.kill();
    await server.restart({ keepData: false });
    let seq = 2;
    const unknown = await until("a call works", 20_000, () => store.sync("g", registration, adopting(view, seq++)));
    expect(unknown).toMatchObject({ status: "unknown" });
    const claim = { ...registration, seq, rejoin: true, claim: 7, observedMs: view.storeTimeMs };
    const after = accepted(await store.register("g", claim));
    expect(after).toMatchObject({ held: 7, learning: true, status: "disagree" });
    expect(after.generation).toBeGreaterThan(view.generation);
  });
});

describe("a statement whose caller has given up", { timeout: 60_000 }, () => {
  test("does not wait for the group's lock any longer than its caller would have", async () => {
    const admin = openAdmin();
    const pool = openPool(server.url);
    const store = openStore({ pool });
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = await store.register("g", registration);
    await using held = await admin.hold(`SELECT * FROM ${schema}.dt_ledger FOR UPDATE`);
    const { value, ms } = await timed(failure(store.sync("g", registration, adopting(view, 2, { held: 0 }))));
    // The server's own refusal: nothing happened, and the connection is as good as before.
    expect(value).toMatchObject({ code: "DT_STORE_TIMEOUT", outcome: "definite" });
    expect((value as DtError).message).toContain("locked by others");
    expect(ms).toBeLessThan(1_000);
    expect([pool.totalCount, pool.idleCount]).toEqual([1, 1]);

    const given = new AbortController();
    const call = failure(store.sync("g", registration, adopting(view, 3), given.signal));
    await until("it waits for the lock", 5_000, async () => (await waiting(admin)) === 1);
    given.abort();
    expect(await call).toMatchObject({ code: "DT_ABORTED", outcome: "unknown" });
    await until("nobody waits for the lock any more", 1_500, async () => (await waiting(admin)) === 0);
    await held[Symbol.asyncDispose]();
    const [member] = (await store.inspect("g")).members;
    expect(member).toMatchObject({ held: 10 });
  });

  test("does not keep the group locked, even if its caller's machine dies in the middle of sending it", async () => {
    const admin = openAdmin();
    const proxy = await openProxy();
    const behind = openStore({ connectionString: `postgres://postgres@127.0.0.1:${proxy.port}/postgres` });
    const direct = openStore({ connectionString: server.url });
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = await behind.register("g", registration);
    const before = proxy.heard;
    await behind.sync("g", registration, adopting(view, 11));
    const length = proxy.heard - before;
    let seq = 12;
    for (const bytes of [1, 5, Math.floor(length / 2), length - 5, length - 1]) {
      proxy.silenceAfter(bytes);
      await failure(behind.sync("g", registration, adopting(view, seq++)));
      proxy.heal();
      expect(await direct.sync("g", registration, adopting(view, seq++))).toMatchObject({ poolSize: 1 });
      await behind.inspect("g");
    }
    expect(await admin.number("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'")).toBe(0);
  });

  test("costs the pool that connection and no other", async () => {
    const pool = openPool(server.url, 2);
    const store = openStore({ pool });
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = await store.register("g", registration);
    await server.pause();
    expect(await failure(store.sync("g", registration, adopting(view, 2)))).toMatchObject({
      code: "DT_STORE_TIMEOUT",
      outcome: "unknown",
    });
    await until("its connection has left the pool", 2_000, () => pool.totalCount === 0);
    await server.resume();
    expect(await store.sync("g", registration, adopting(view, 3))).toMatchObject({ poolSize: 1 });
    expect(pool.waitingCount).toBe(0);
  });

  test("is seen by the server once, however late", async () => {
    const admin = openAdmin();
    const store = openStore({ connectionString: server.url });
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = await store.register("g", registration);
    await server.pause();
    expect(await failure(store.sync("g", registration, adopting(view, 2)))).toMatchObject({ outcome: "unknown" });
    await server.resume();
    expect(await store.sync("g", registration, adopting(view, 3))).toMatchObject({ poolSize: 1 });
    // Registration, the lost sync and the next one: every one of them writes the group's row once.
    await until("both syncs have run", 5_000, async () => (await writes(admin)) === 3);
  });

  test("and comes after newer ones has no effect: neither its tokens nor its heartbeat count", async () => {
    const admin = openAdmin();
    const proxy = await openProxy();
    const store = openStore({ connectionString: `postgres://postgres@127.0.0.1:${proxy.port}/postgres` });
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = accepted(await store.register("g", registration));
    const before = await writes(admin);
    proxy.silence();
    // A report that would lower the share to nothing, were it heard.
    const late = failure(store.sync("g", registration, adopting(view, 2, { held: 0 })));
    expect(await late).toMatchObject({ code: "DT_STORE_TIMEOUT", outcome: "unknown" });
    const direct = openStore({ connectionString: server.url });
    const newer = await direct.register("g", newcomer({ staleAfterMs: 60_000 }));
    expect(await direct.sync("g", registration, adopting(newer, 3, { held: 5 }))).toMatchObject({ held: 5 });
    proxy.deliverLate();
    await until("the late statement has run", 5_000, async () => (await writes(admin)) === before + 3);
    const snapshot = await direct.inspect("g");
    expect(snapshot.members[0]).toMatchObject({ held: 5, generation: accepted(newer).generation });
  });
});

describe("a pool that has no connection to give", { timeout: 60_000 }, () => {
  test("fails calls by their deadline, certainly without effect, and gives connections that come late back", async () => {
    const pool = openPool(server.url, 1);
    const store = openStore({ pool });
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = await store.register("g", registration);
    const busy = await pool.connect();
    for (let seq = 2; seq < 5; seq++) {
      const { value, ms } = await timed(failure(store.sync("g", registration, adopting(view, seq))));
      expect(value).toMatchObject({ code: "DT_STORE_UNAVAILABLE", outcome: "definite" });
      expect(ms).toBeLessThan(SETTLED_MS);
    }
    busy.release();
    expect(await store.sync("g", registration, adopting(view, 9))).toMatchObject({ poolSize: 1 });
    expect([pool.totalCount, pool.idleCount, pool.waitingCount]).toEqual([1, 1, 0]);
  });

  test("for ever does not gather callers without a bound", async () => {
    let asked = 0;
    const stuck = {
      connect() {
        asked += 1;
        return new Promise<never>(() => {});
      },
    };
    const store = openStore({ pool: stuck, timeout: "20ms" });
    // One look at the schema is shared by those who call at the same time; so one after the other.
    let error = await failure(store.inspect("g"));
    for (let i = 0; i < 400 && !error.message.includes("has not given"); i++) error = await failure(store.inspect("g"));
    expect(error).toMatchObject({ code: "DT_STORE_UNAVAILABLE", outcome: "definite" });
    expect(error.message).toContain("has not given 100 callers a connection yet");
    expect(asked).toBe(100);
  });

  test("because it was ended says so", async () => {
    const pool = new pg.Pool({ connectionString: "postgres://127.0.0.1:1/x" });
    await pool.end();
    const error = await failure(openStore({ pool }).inspect("g"));
    expect(error).toMatchObject({ code: "DT_STORE_UNAVAILABLE", outcome: "definite" });
    expect(error.message).toMatch(/after calling end on the pool/);
  });
});

describe("a network that drops everything", { timeout: 60_000 }, () => {
  test("is given up for a new connection, and the next call after it works", async () => {
    const proxy = await openProxy();
    const store = openStore({ connectionString: `postgres://postgres@127.0.0.1:${proxy.port}/postgres` });
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = await store.register("g", registration);
    proxy.silence();
    for (let seq = 2; seq < 8; seq++) {
      const { error, ms } = await timed(store.sync("g", registration, adopting(view, seq)));
      expect((error as DtError).code).toMatch(/^DT_STORE_(TIMEOUT|UNAVAILABLE)$/);
      expect(ms).toBeLessThan(SETTLED_MS);
    }
    proxy.heal();
    let seq = 10;
    await until("a call works on a new connection", 5_000, () => store.sync("g", registration, adopting(view, seq++)));
  });

  test("refuses connections at once where nobody listens", async () => {
    const store = openStore({ connectionString: "postgres://postgres@127.0.0.1:1/postgres" });
    const { value, ms } = await timed(failure(store.register("g", newcomer())));
    expect(value).toMatchObject({ code: "DT_STORE_UNAVAILABLE", outcome: "definite" });
    expect((value as DtError).message).toContain("ECONNREFUSED");
    expect(ms).toBeLessThan(SETTLED_MS);
  });
});

describe("a store that is closed", { timeout: 60_000 }, () => {
  test("fails calls under way at once, and every later one", async () => {
    const pool = openPool(server.url);
    const store = openStore({ pool, push: true });
    const registration = newcomer();
    const view = await store.register("g", registration);
    await server.pause();
    const underWay = timed(failure(store.sync("g", registration, adopting(view, 2))));
    await until("it is sent", 1_000, () => pool.idleCount === 0);
    const closing = timed(store.close());
    const { value, ms } = await underWay;
    expect(value).toMatchObject({ code: "DT_STORE_CLOSED", outcome: "unknown" });
    expect(ms).toBeLessThan(500);
    expect((await closing).ms).toBeLessThan(SETTLED_MS);
    for (const call of [
      store.inspect("g"),
      store.watch?.("g", () => {}) as Promise<unknown>,
      store.register("g", newcomer()),
    ]) {
      expect(await failure(call)).toMatchObject({ code: "DT_STORE_CLOSED", outcome: "definite" });
    }
    await store.close();
    await server.resume();
  });

  test("while it waits for a connection sends nothing more", async () => {
    const admin = openAdmin();
    const pool = openPool(server.url, 1);
    const store = openStore({ pool });
    await store.inspect("g");
    const busy = await pool.connect();
    const waitingCall = failure(store.register("g", newcomer()));
    await until("it waits for a connection", 1_000, () => pool.waitingCount === 1);
    await store.close();
    expect(await waitingCall).toMatchObject({ code: "DT_STORE_CLOSED", outcome: "definite" });
    busy.release();
    await until("the connection is back", 1_000, () => pool.idleCount === 1);
    expect(await admin.number(`SELECT count(*) FROM ${schema}.dt_ledger`)).toBe(0);
  });

  test("leaves no connection behind, whether the server answers or not", async () => {
    const admin = openAdmin();
    await admin.number("SELECT 1");
    const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    const before = sockets();
    for (const paused of [false, true]) {
      const store = openStore({ connectionString: server.url, push: true });
      await store.watch?.("g", () => {});
      await Promise.all([store.inspect("g"), store.inspect("g")]);
      expect(await connections(admin)).toBe(3);
      if (paused) await server.pause();
      await store.close();
      await until("no socket keeps the process running", 3_000, () => sockets() <= before);
    }
    await server.resume();
    await until("the server has no connection of it", 5_000, async () => (await connections(admin)) === 0);
  });

  test("leaves a pool handed in as it was", async () => {
    const pool = openPool(server.url);
    const listeners = (): number[] =>
      ["error", "connect", "acquire", "remove", "release"].map((event) => pool.listenerCount(event));
    const before = listeners();
    const store = openStore({ pool, push: true });
    await store.register("g", newcomer());
    await store.watch?.("g", () => {});
    await store.close();
    expect(listeners()).toEqual(before);
    const client = await pool.connect();
    expect(client.listenerCount("error")).toBe(0);
    client.release();
    expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  });
});

describe("an AbortSignal", { timeout: 60_000 }, () => {
  test("that is aborted already keeps the call from being sent", async () => {
    const store = openStore({ connectionString: server.url });
    const error = await failure(store.register("g", newcomer(), AbortSignal.abort(new Error("no"))));
    expect(error).toMatchObject({ code: "DT_ABORTED", outcome: "definite" });
    expect(await store.inspect("g")).toMatchObject({ poolSize: 0 });
  });

  test("ends a call at once; the outcome is known when nothing was sent yet", async () => {
    const pool = openPool(server.url, 1);
    const store = openStore({ pool });
    const registration = newcomer();
    const view = await store.register("g", registration);
    const busy = await pool.connect();
    const early = new AbortController();
    const notSent = timed(failure(store.sync("g", registration, adopting(view, 2), early.signal)));
    early.abort();
    expect(await notSent).toMatchObject({ value: { code: "DT_ABORTED", outcome: "definite" } });
    busy.release();

    await server.pause();
    const late = new AbortController();
    const sent = timed(failure(store.sync("g", registration, adopting(view, 3), late.signal)));
    await until("it is sent", 1_000, () => pool.idleCount === 0);
    late.abort();
    const { value, ms } = await sent;
    expect(value).toMatchObject({ code: "DT_ABORTED", outcome: "unknown" });
    expect(ms).toBeLessThan(900);
    await server.resume();
  });
});

/** Statements that wait for a lock. */
function waiting(admin: Admin): Promise<number> {
  return admin.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
}

/** How often group rows were written. */
function writes(admin: Admin): Promise<number> {
  return admin.number(`SELECT sum(writes) FROM ${schema}.dt_ledger`);
}

/** Connections of stores' own pools. */
function connections(admin: Admin): Promise<number> {
  return admin.number("SELECT count(*) FROM pg_stat_activity WHERE application_name = '@dt/postgres'");
}

/** After a failed login a PgBouncer does not try again for 15 s by default, whatever its clients ask for. */
async function retryLoginsSoon(bouncer: PgBouncerServer): Promise<void> {
  await appendFile(join(bouncer.folder, "pgbouncer.ini"), "server_login_retry = 1\n");
  process.kill(bouncer.pid as number, "SIGHUP");
}
