import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import type { DtError, View } from "@dt/core";
import { type PgBouncerServer, startPgBouncer, timed, until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { keep, openPool, openProxy, openStore, server, useOwnServer } from "./support/own-server.ts";
import { DEADLINE_MS, SETTLED_BY_DEFAULT_MS, SETTLED_MS } from "./support/settled.ts";

useOwnServer({ migrated: true });

const timeout = DEADLINE_MS;

/**
 * A server that stops, dies, loses its data or is cut off: every call settles by its deadline, and afterwards the store
 * works by itself.
 */

const kinds = [
  ["a pool of its own", async () => openStore({ timeout })],
  ["a pool handed in", async () => openStore({ timeout, pool: openPool(server.url) })],
  [
    "a PgBouncer in between",
    async () => {
      const bouncer = await startPgBouncer(server);
      keep({ close: () => bouncer.stop() });
      await retryLoginsSoon(bouncer);
      return openStore({ timeout, connectionString: bouncer.url });
    },
  ],
] as const;

describe.each(kinds)("with %s", (kind, storeOn) => {
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
      ].map((call) => timed<unknown>(call));
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
    expect(lost.value).toMatchObject({ effect: "unknown" });
    expect(lost.ms).toBeLessThan(SETTLED_MS);

    const later = await timed(failure(store.sync("g", registration, adopting(view, 3))));
    expect((later.value as DtError).code).toMatch(/^DT_STORE_(TIMEOUT|UNAVAILABLE)$/);
    // A PgBouncer takes the statement before it knows that there is no server.
    if (!kind.includes("PgBouncer")) expect(later.value).toMatchObject({ effect: "definite" });
    expect(later.ms).toBeLessThan(SETTLED_MS);

    await server.restart({ keepData: true });
    let seq = 10;
    const after = await until("a call works", 20_000, () => store.sync("g", registration, adopting(view, seq++)));
    expect(after).toMatchObject({ generation: view.generation, members: 1, status: "agree" });
  });

  test("a server that comes back empty is set up anew, answers unknown, and takes the claim of a survivor", async () => {
    const store = await storeOn();
    const registration = newcomer({ learningMs: 60_000, staleAfterMs: 60_000 });
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

test("by default a stopped server fails a call in about a second", async () => {
  const store = openStore();
  await until("a call works", 10_000, () => store.inspect("g"));
  await server.pause();
  const { value, ms } = await timed(failure(store.inspect("g")));
  await server.resume();
  expect(value).toMatchObject({ code: "DT_STORE_TIMEOUT" });
  expect(ms).toBeLessThan(SETTLED_BY_DEFAULT_MS);
});

describe("a pool that has no connection to give", () => {
  test("fails calls by their deadline, certainly without effect, and gives connections that come late back", async () => {
    const pool = openPool(server.url, 1);
    // Its own deadline is shorter than the pool's.
    const store = openStore({ pool });
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = await store.register("g", registration);
    const busy = await pool.connect();
    for (let seq = 2; seq < 5; seq++) {
      const { value, ms } = await timed(failure(store.sync("g", registration, adopting(view, seq))));
      expect(value).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "definite" });
      expect(ms).toBeLessThan(SETTLED_BY_DEFAULT_MS);
    }
    busy.release();
    expect(await store.sync("g", registration, adopting(view, 9))).toMatchObject({ members: 1 });
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
    for (let i = 0; i < 400 && !error.message.includes("given up still wait"); i++)
      error = await failure(store.inspect("g"));
    expect(error).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "definite" });
    expect(error.message).toContain("100 calls that were given up still wait for a connection of the pool");
    expect(asked).toBe(100);
  });

  test("because it was ended says so", async () => {
    const pool = new pg.Pool({ connectionString: "postgres://127.0.0.1:1/x" });
    await pool.end();
    const error = await failure(openStore({ pool }).inspect("g"));
    expect(error).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "definite" });
    expect(error.message).toMatch(/after calling end on the pool/);
  });
});

describe("a network that drops everything", () => {
  test("is given up for a new connection, and the next call after it works", async () => {
    const { proxy, connectionString } = await openProxy();
    const store = openStore({ timeout, connectionString });
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = await store.register("g", registration);
    proxy.apply({ type: "stall" });
    for (let seq = 2; seq < 8; seq++) {
      const { error, ms } = await timed(store.sync("g", registration, adopting(view, seq)));
      expect((error as DtError).code).toMatch(/^DT_STORE_(TIMEOUT|UNAVAILABLE)$/);
      expect(ms).toBeLessThan(SETTLED_MS);
    }
    proxy.strand();
    let seq = 10;
    await until("a call works on a new connection", 5_000, () => store.sync("g", registration, adopting(view, seq++)));
  });

  test("refuses connections at once where nobody listens", async () => {
    const store = openStore({ timeout, connectionString: "postgres://postgres@127.0.0.1:1/postgres" });
    const { value, ms } = await timed(failure(store.register("g", newcomer())));
    expect(value).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "definite" });
    expect((value as DtError).message).toContain("ECONNREFUSED");
    expect(ms).toBeLessThan(DEADLINE_MS);
  });
});

/** After a failed login a PgBouncer does not try again for 15 s by default, whatever its clients ask for. */
async function retryLoginsSoon(bouncer: PgBouncerServer): Promise<void> {
  await appendFile(join(bouncer.folder, "pgbouncer.ini"), "server_login_retry = 1\n");
  process.kill(bouncer.pid as number, "SIGHUP");
}
