import { systemRuntime } from "@dt/core";
import { startPgBouncer, timed, until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import pg from "pg";
import { beforeEach, describe, expect, test } from "vitest";
import type { PostgresStore, PostgresStoreOptions } from "../src/index.ts";
import { admin, keep, openPatientStore, openProxy, schema, server, useOwnServer } from "./support/own-server.ts";

useOwnServer();

beforeEach(() => {
  keep({ close: () => until("no connection is left", 5_000, async () => (await connections()) === 0) });
});

/** With time to spare: deadlines are few tests' subject. */
const openStore = (options: Partial<PostgresStoreOptions> = {}): PostgresStore =>
  openPatientStore({ hints: true, ...options });

interface Hints {
  count: number;
  stop: () => void;
}

async function listen(store: PostgresStore, group: string): Promise<Hints> {
  const hints: Hints = { count: 0, stop: () => {} };
  hints.stop = await (store.onHint as NonNullable<PostgresStore["onHint"]>)(group, () => {
    hints.count += 1;
  });
  return hints;
}

const hinted = (hints: Hints, more: number): Promise<unknown> =>
  until("a hint came", 10_000, () => hints.count >= more);

/** Connections of stores' own pools. */
const connections = (): Promise<number> =>
  admin.number("SELECT count(*) FROM pg_stat_activity WHERE application_name = '@dt/postgres'");

/** Connections that listen, or did so last. */
const listening = (): Promise<number> =>
  admin.number("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN dt%'");

describe("hints", () => {
  test("come when a member joined, agreement was reached, and a member left, and not otherwise", async () => {
    const [store, other] = [openStore(), openStore()];
    const hints = await listen(store, "g");
    const [a, b] = [newcomer(), newcomer()];
    await other.register("g", a);
    await hinted(hints, 1);
    const view = accepted(await other.register("g", b));
    await hinted(hints, 2);
    await other.sync("g", a, adopting(view, 2, { held: 5 }));
    await other.sync("g", b, adopting(view, 2));
    await hinted(hints, 3);
    for (let seq = 3; seq < 20; seq++) await other.sync("g", a, adopting(view, seq));
    await other.register("another group", newcomer());
    await other.deregister("g", b, { seq: 3, level: null });
    await hinted(hints, 4);
    expect(hints.count).toBe(4);
  });

  test("of what a store without hints changed come with the next call of one that has it", async () => {
    const [store, silent] = [openStore(), openStore({ hints: false })];
    const a = newcomer();
    const view = await store.register("g", a);
    const hints = await listen(store, "g");
    await silent.register("g", newcomer());
    await store.sync("g", a, adopting(view, 2));
    await hinted(hints, 1);
    expect(silent.capabilities.hints).toBe(false);
    expect(silent.onHint).toBeUndefined();
  });

  test("go on after the connection was ended by an administrator, and the loss itself is a hint", async () => {
    const store = openStore();
    const hints = await listen(store, "g");
    await admin.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN dt%'");
    await hinted(hints, 1);
    const before = hints.count;
    await store.register("g", newcomer());
    await hinted(hints, before + 1);
  });

  test("go on after the server was killed and came back empty", async () => {
    const heard: unknown[] = [];
    const store = openStore({ onError: (error) => heard.push(error) });
    const hints = await listen(store, "g");
    await server.kill();
    await until("it was tried in vain", 5_000, () => heard.length > 1);
    await server.restart({ keepData: false });
    await hinted(hints, 1);
    const before = hints.count;
    await until("the store works", 10_000, () => store.register("g", newcomer()));
    await hinted(hints, before + 1);
  });

  test("go on after the network went silent, which nobody tells", async () => {
    const { proxy, connectionString } = await openProxy();
    // The connection is asked every 10 s whether it lives; here every 100 ms.
    let asked = 0;
    const setTimer: typeof systemRuntime.setTimer = (callback, delayMs, settings) => {
      if (delayMs === 10_000) asked += 1;
      return systemRuntime.setTimer(callback, delayMs === 10_000 ? 100 : delayMs, settings);
    };
    await openStore().inspect("g");
    const store = openStore({ connectionString, timeout: "1s", runtime: { ...systemRuntime, setTimer } });
    const hints = await listen(store, "g");
    await until("it was asked, and answered", 5_000, () => asked > 2);
    expect(hints.count).toBe(0);
    proxy.apply({ type: "stall" });
    await until("the connection was given up", 10_000, async () => {
      const error = await failure(store.inspect("g"));
      return error.effect === "definite";
    });
    proxy.strand();
    await hinted(hints, 1);
    const before = hints.count;
    await openStore().register("g", newcomer());
    await hinted(hints, before + 1);
  });
});

describe("listening", () => {
  test("takes one connection for all groups, opened with the first listener and ended with the last", async () => {
    const store = openStore();
    await store.inspect("g");
    expect(await connections()).toBe(1);
    const [one, same, other] = [await listen(store, "g"), await listen(store, "g"), await listen(store, "h")];
    await store.inspect("g");
    expect([await listening(), await connections()]).toEqual([1, 2]);
    other.stop();
    one.stop();
    one.stop();
    await store.register("g", newcomer());
    await hinted(same, 1);
    expect(one.count).toBe(0);
    same.stop();
    await until("its connection is ended", 5_000, async () => (await connections()) === 1);
    const again = await listen(store, "g");
    await store.register("g", newcomer());
    await hinted(again, 1);
  });

  test("by a pool handed in takes one of its connections, and ends that one only", async () => {
    const pool = new pg.Pool({ connectionString: server.url, max: 3 });
    pool.on("error", () => {});
    const store = openStore({ pool });
    const hints = await listen(store, "g");
    expect([pool.totalCount, pool.idleCount]).toEqual([1, 0]);
    await store.register("g", newcomer());
    await hinted(hints, 1);
    await store.close();
    await until("the pool has one connection", 5_000, () => pool.totalCount === 1 && pool.idleCount === 1);
    await pool.end();
  });

  test("by a pool of its own leaves the store's alone", async () => {
    const [pool, hintPool] = [1, 1].map((max) => new pg.Pool({ connectionString: server.url, max })) as [
      pg.Pool,
      pg.Pool,
    ];
    const store = openStore({ pool, hints: { pool: hintPool } });
    const hints = await listen(store, "g");
    await store.register("g", newcomer());
    await hinted(hints, 1);
    expect([pool.totalCount, hintPool.totalCount]).toEqual([1, 1]);
    await store.close();
    await Promise.all([pool.end(), hintPool.end()]);
  });

  test("fails by its deadline when the server does not answer, and leaves nothing behind", async () => {
    await openStore().inspect("g");
    const store = openStore({ timeout: "1s" });
    await store.inspect("g");
    await server.pause();
    const { value, ms } = await timed(failure(listen(store, "g")));
    expect((value as { code: string }).code).toMatch(/^DT_STORE_(TIMEOUT|UNAVAILABLE)$/);
    expect(ms).toBeLessThan(1_600);
    await server.resume();
    const hints = await listen(store, "g");
    await store.register("g", newcomer());
    await hinted(hints, 1);
    expect(await listening()).toBe(1);
  });

  test("does not keep a process running that has nothing else to do", async () => {
    const child = new SourceProcess(new URL("./support/idler.ts", import.meta.url), [server.url, schema]);
    keep({ close: () => child.kill() });
    await child.finished();
  });
});

describe("through a PgBouncer", () => {
  test("listening is refused with the remedy, and with it works", async () => {
    const bouncer = await startPgBouncer(server, { connections: 1 });
    keep({ close: () => bouncer.stop() });
    const refusing = openStore({ connectionString: bouncer.url });
    const error = await failure(listen(refusing, "g"));
    expect([error.code, error.effect]).toEqual(["DT_STORE_UNSUITABLE", "definite"]);
    expect(error.message).toContain("give hints: { connectionString }");

    const store = openStore({ connectionString: bouncer.url, hints: { connectionString: server.url } });
    const hints = await listen(store, "g");
    await openStore({ connectionString: bouncer.url }).register("g", newcomer());
    await hinted(hints, 1);
  });
});
