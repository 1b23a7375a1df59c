import type { DtError, View } from "@dt/core";
import { FaultProxy, type RedisServer, timed, until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import type { RedisStoreOptions } from "../src/index.ts";
import { afterwards, openClient, openStore, ownServer } from "./support/keep.ts";
import { scriptCalls } from "./support/script-calls.ts";

/**
 * A server that stops, dies, loses its data or is cut off: every call settles by its deadline, and afterwards the store
 * works by itself.
 */

/** The deadline is 1 s; a busy machine may take a while to say so. */
const SETTLED_MS = 1_600;

const kinds = [
  [
    "a client of its own",
    (server: RedisServer, options: RedisStoreOptions = {}) => openStore({ url: server.url, ...options }),
  ],
  [
    "a client handed in",
    (server: RedisServer, options: RedisStoreOptions = {}) => openStore({ client: openClient(server.url), ...options }),
  ],
] as const;

describe.each(kinds)("with %s", (_, storeOn) => {
  test("a stopped server fails every call by its deadline, and the first call after it goes on works", async () => {
    const server = await ownServer();
    const store = storeOn(server);
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

  test("a killed server fails calls under way at once and later ones by their deadline; it comes back with its data", async () => {
    const server = await ownServer();
    const store = storeOn(server);
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = accepted(await store.register("g", registration));
    await server.pause();
    const underWay = timed(failure(store.sync("g", registration, adopting(view, 2))));
    await server.kill();
    const lost = await underWay;
    expect(lost.value).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "unknown" });

    const later = await timed(failure(store.sync("g", registration, adopting(view, 3))));
    expect(later.value).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "definite" });
    expect(later.ms).toBeLessThan(SETTLED_MS);

    await server.restart({ keepData: true });
    const after = accepted(await store.sync("g", registration, adopting(view, 4)));
    expect(after).toMatchObject({ generation: view.generation, members: 1, status: "agree" });
  });

  test("a server that comes back empty answers unknown, and takes the claim of a survivor", async () => {
    const server = await ownServer();
    const store = storeOn(server);
    const registration = newcomer({ learningMs: 60_000, staleAfterMs: 60_000 });
    const view = accepted(await store.register("g", registration));
    await server.kill();
    await server.restart({ keepData: false });
    expect(await store.sync("g", registration, adopting(view, 2))).toMatchObject({ status: "unknown" });
    const claim = { ...registration, seq: 3, rejoin: true, claim: 7, observedMs: view.storeTimeMs };
    const after = accepted(await store.register("g", claim));
    expect(after).toMatchObject({ held: 7, learning: true, status: "disagree" });
    expect(after.generation).toBeGreaterThan(view.generation);
  });

  test("a call that was given up while there was no connection is never sent", async () => {
    const server = await ownServer();
    const store = storeOn(server, { timeout: "4s" });
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = await store.register("g", registration);
    await server.kill();
    await until("the connection is known to be lost", 20_000, async () => {
      const error = await failure(store.register("g", newcomer()));
      return error.effect === "definite";
    });
    await server.restart({ keepData: true });
    expect(await store.sync("g", registration, adopting(view, 2))).toMatchObject({ members: 1 });
    expect(await scriptCalls(server)).toBe(2); // The sync, and once more as EVAL: the server was new.
  });
});

describe("a socket that has ended", () => {
  test("is not used in the moment in which the client does not know it yet", async () => {
    const server = await ownServer();
    const client = new Redis(server.url, { autoResendUnfulfilledCommands: false, enableOfflineQueue: false });
    afterwards(() => client.disconnect());
    const store = openStore({ client });
    await store.register("g", newcomer());
    client.stream.destroy();
    expect(client.status).toBe("ready");
    expect(await store.inspect("g")).toMatchObject({ memberCount: 1 });
  });
});

describe("a client that has given up", () => {
  test("is connected again by the next call, if it is the store's own", async () => {
    const server = await ownServer();
    const store = openStore({ url: server.url, options: { retryStrategy: () => null } });
    await store.register("g", newcomer({ staleAfterMs: 60_000 }));
    await server.kill();
    expect(await failure(store.inspect("g"))).toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
    await server.restart({ keepData: true });
    expect(await store.inspect("g")).toMatchObject({ memberCount: 1 });
  });

  test("is left alone, if it was handed in: its owner ended it", async () => {
    const server = await ownServer();
    const client = openClient(server.url);
    const store = openStore({ client });
    await store.inspect("g");
    const ended = new Promise((resolve) => client.once("end", resolve));
    client.disconnect();
    await ended;
    const waiting = await timed(failure(store.inspect("g")));
    expect(waiting.value).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "definite" });
    expect((waiting.value as DtError).message).toContain("was ended by its owner");
    expect(waiting.ms).toBeLessThan(500);
  });
});

describe("a lost reply", () => {
  test("does not make the client send again: the server sees each command once", async () => {
    const server = await ownServer();
    const proxy = await FaultProxy.listen(server);
    afterwards(() => proxy.close());
    const client = openClient(`redis://127.0.0.1:${proxy.port}`);
    const store = openStore({ client });
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = await store.register("g", registration);
    await store.sync("g", registration, adopting(view, 2));
    const before = await scriptCalls(server);

    await server.pause();
    const lost = failure(store.sync("g", registration, adopting(view, 3)));
    expect(await lost).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "unknown" });
    const closed = new Promise((resolve) => client.once("close", resolve));
    proxy.resetClients();
    await closed;
    await server.resume();
    expect(await store.sync("g", registration, adopting(view, 4))).toMatchObject({ members: 1 });
    await until("the server has run the lost one and the next one", 5_000, async () => {
      return (await scriptCalls(server)) >= before + 2;
    });
    expect(await store.sync("g", registration, adopting(view, 5))).toMatchObject({ members: 1 });
    expect(await scriptCalls(server)).toBe(before + 3);
  });

  test("of a request that arrives after newer ones has no effect: neither its tokens nor its heartbeat count", async () => {
    const server = await ownServer();
    const proxy = await FaultProxy.listen(server);
    afterwards(() => proxy.close());
    const store = openStore({ url: `redis://127.0.0.1:${proxy.port}` });
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = accepted(await store.register("g", registration));
    await store.sync("g", registration, adopting(view, 2));
    const before = await scriptCalls(server);

    proxy.apply({ type: "stall" });
    // A report that would lower the share to nothing, were it heard.
    const late = failure(store.sync("g", registration, adopting(view, 3, { held: 0 })));
    expect(await late).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "unknown" });
    const direct = openStore({ url: server.url });
    const newer = await direct.register("g", newcomer({ staleAfterMs: 60_000 }));
    expect(await direct.sync("g", registration, adopting(newer, 4, { held: 5 }))).toMatchObject({ held: 5 });
    proxy.apply(undefined);
    await until("the late request has run", 5_000, async () => (await scriptCalls(server)) === before + 3);
    const snapshot = await direct.inspect("g");
    expect(snapshot.members[0]).toMatchObject({ held: 5, generation: accepted(newer).generation });
  });
});

describe("a network that drops everything", () => {
  test("is given up for a new connection, and the next call after it works", async () => {
    const server = await ownServer();
    const proxy = await FaultProxy.listen(server);
    afterwards(() => proxy.close());
    const store = openStore({ url: `redis://127.0.0.1:${proxy.port}` });
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = await store.register("g", registration);
    proxy.apply({ type: "stall" });
    const first = await timed(failure(store.sync("g", registration, adopting(view, 2))));
    expect(first.value).toMatchObject({ code: "DT_STORE_TIMEOUT" });
    expect(first.ms).toBeLessThan(SETTLED_MS);
    proxy.strand();
    // The old connection stays dead for ever; it has to be given up.
    let seq = 3;
    await until("a call works on a new connection", 5_000, () => store.sync("g", registration, adopting(view, seq++)));
  });
});
