import { timed, until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { adopting, newcomer } from "@dt-tooling/simulator/requests";
import type pg from "pg";
import { describe, expect, test } from "vitest";
import { admin, openPatientStore, openPool, openStore, schema, server, useOwnServer } from "./support/own-server.ts";
import { SETTLED_BY_DEFAULT_MS } from "./support/settled.ts";

useOwnServer({ migrated: true });

/** Calls that are ended before they are answered: by `close()`, or by an AbortSignal. */

describe("a store that is closed", () => {
  test("fails calls under way at once, and every later one", async () => {
    const pool = openPool(server.url);
    const store = openStore({ pool, hints: true });
    const registration = newcomer();
    const view = await store.register("g", registration);
    await server.pause();
    const underWay = timed(failure(store.sync("g", registration, adopting(view, 2))));
    await until("it is sent", 5_000, () => pool.idleCount === 0);
    const closing = timed(store.close());
    const { value, ms } = await underWay;
    expect(value).toMatchObject({ code: "DT_STORE_CLOSED", effect: "unknown" });
    expect(ms).toBeLessThan(500);
    expect((await closing).ms).toBeLessThan(SETTLED_BY_DEFAULT_MS);
    for (const call of [
      store.inspect("g"),
      store.onHint?.("g", () => {}) as Promise<unknown>,
      store.register("g", newcomer()),
    ]) {
      expect(await failure(call)).toMatchObject({ code: "DT_STORE_CLOSED", effect: "definite" });
    }
    await store.close();
    await server.resume();
  });

  test("while the connection on which hints come is opened again reports no error: nothing is wrong", async () => {
    const errors: unknown[] = [];
    const pool = openPool(server.url);
    let isSilent = false;
    let asked = false;
    const connect = (): Promise<pg.PoolClient> => {
      asked = isSilent;
      return isSilent ? new Promise(() => {}) : pool.connect();
    };
    const store = openPatientStore({ hints: { pool: { connect } }, onError: (error) => errors.push(error) });
    await store.onHint("g", () => {});
    isSilent = true;
    await admin.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN dt%'");
    await until("it is opened again", 5_000, () => asked);
    errors.length = 0;
    await store.close();
    expect(errors).toEqual([]);
  });

  test("while it waits for a connection sends nothing more", async () => {
    const pool = openPool(server.url, 1);
    const store = openStore({ pool });
    await store.inspect("g");
    const busy = await pool.connect();
    const waitingCall = failure(store.register("g", newcomer()));
    await until("it waits for a connection", 5_000, () => pool.waitingCount === 1);
    await store.close();
    expect(await waitingCall).toMatchObject({ code: "DT_STORE_CLOSED", effect: "definite" });
    busy.release();
    await until("the connection is back", 5_000, () => pool.idleCount === 1);
    expect(await admin.number(`SELECT count(*) FROM ${schema}.dt_ledger`)).toBe(0);
  });

  test("leaves no connection behind, whether the server answers or not", async () => {
    await admin.number("SELECT 1");
    const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    const before = sockets();
    for (const paused of [false, true]) {
      // The server ends a connection a little after its client has.
      await until("the server has none of those before", 5_000, async () => (await connections()) === 0);
      const store = openStore({ hints: true });
      await store.onHint?.("g", () => {});
      await Promise.all([store.inspect("g"), store.inspect("g")]);
      expect(await connections()).toBe(3);
      if (paused) await server.pause();
      await store.close();
      await until("no socket keeps the process running", 3_000, () => sockets() <= before);
    }
    await server.resume();
    await until("the server has no connection of it", 5_000, async () => (await connections()) === 0);
  });

  test("leaves a pool handed in as it was", async () => {
    const pool = openPool(server.url);
    const listeners = (): number[] =>
      ["error", "connect", "acquire", "remove", "release"].map((event) => pool.listenerCount(event));
    const before = listeners();
    const store = openStore({ pool, hints: true });
    await store.register("g", newcomer());
    await store.onHint?.("g", () => {});
    await store.close();
    expect(listeners()).toEqual(before);
    const client = await pool.connect();
    expect(client.listenerCount("error")).toBe(0);
    client.release();
    expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  });
});

describe("an AbortSignal", () => {
  test("that is aborted already keeps the call from being sent", async () => {
    const store = openStore();
    const error = await failure(store.register("g", newcomer(), AbortSignal.abort(new Error("no"))));
    expect(error).toMatchObject({ code: "DT_ABORTED", effect: "definite" });
    expect(await store.inspect("g")).toMatchObject({ memberCount: 0 });
  });

  test("ends a call at once; the effect is known when nothing was sent yet", async () => {
    const pool = openPool(server.url, 1);
    const store = openStore({ pool });
    const registration = newcomer();
    const view = await store.register("g", registration);
    const busy = await pool.connect();
    const early = new AbortController();
    const notSent = timed(failure(store.sync("g", registration, adopting(view, 2), early.signal)));
    early.abort();
    expect(await notSent).toMatchObject({ value: { code: "DT_ABORTED", effect: "definite" } });
    busy.release();

    await server.pause();
    const late = new AbortController();
    const sent = timed(failure(store.sync("g", registration, adopting(view, 3), late.signal)));
    await until("it is sent", 5_000, () => pool.idleCount === 0);
    late.abort();
    const { value, ms } = await sent;
    expect(value).toMatchObject({ code: "DT_ABORTED", effect: "unknown" });
    expect(ms).toBeLessThan(900);
    await server.resume();
  });
});

/** Connections of stores' own pools. */
function connections(): Promise<number> {
  return admin.number("SELECT count(*) FROM pg_stat_activity WHERE application_name = '@dt/postgres'");
}
