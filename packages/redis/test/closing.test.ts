import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { timed, until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { socketsTo } from "@dt-tooling/backends/sockets";
import { adopting, newcomer } from "@dt-tooling/simulator/requests";
import { Redis } from "ioredis";
import { describe, expect, test, vi } from "vitest";
import { redisStore } from "../src/index.ts";
import { afterwards, openClient, openStore, ownServer } from "./support/keep.ts";

/** Calls that are ended before they are answered: by `close()`, or by an AbortSignal. */

describe("a store that is closed", () => {
  test("fails calls under way at once, and every later one", async () => {
    const server = await ownServer();
    const store = redisStore({ url: server.url });
    const registration = newcomer();
    const view = await store.register("g", registration);
    await server.pause();
    const underWay = timed(failure(store.sync("g", registration, adopting(view, 2))));
    await setImmediate();
    await store.close();
    const { value, ms } = await underWay;
    expect(value).toMatchObject({ code: "DT_STORE_CLOSED", effect: "unknown" });
    expect(ms).toBeLessThan(500);
    for (const call of [
      store.inspect("g"),
      store.onHint?.("g", () => {}) as Promise<unknown>,
      store.register("g", newcomer()),
    ]) {
      expect(await failure(call)).toMatchObject({ code: "DT_STORE_CLOSED", effect: "definite" });
    }
    await store.close();
  });

  test("leaves no connection behind, whether the server answers or not", async () => {
    const server = await ownServer();
    const sockets = socketsTo(server.port);
    for (const paused of [false, true]) {
      const store = redisStore({ url: server.url });
      await store.inspect("g");
      await store.onHint?.("g", () => {});
      expect(sockets()).toBeGreaterThan(0);
      if (paused) await server.pause();
      await store.close();
      await until("its sockets are gone", 3_000, () => sockets() === 0);
    }
  });

  test("opens none again for a call that waited for another one when it was closed", async () => {
    const server = await ownServer();
    const opened = vi.spyOn(Redis.prototype, "connect");
    afterwards(() => opened.mockRestore());
    const store = redisStore({ url: server.url });
    await store.inspect("g");
    const opens = (): Redis[] =>
      (opened.mock.contexts as Redis[]).filter(({ options }) => options.port === server.port);
    const ended = once(opens()[0] as Redis, "end");
    await server.pause();
    // The second waits for the secret that the first one asks for.
    const calls = [1, 2].map(() => failure(store.onHint?.("g", () => {}) as Promise<unknown>));
    await setImmediate();
    const before = opens().length;
    await store.close();
    for (const { code } of await Promise.all(calls)) expect(code).toBe("DT_STORE_CLOSED");
    await ended;
    await setImmediate();
    expect(opens()).toHaveLength(before);
  });

  test("leaves a client handed in as it was", async () => {
    const server = await ownServer();
    const client = openClient(server.url);
    const listeners = (): number[] => ["ready", "end", "close", "error"].map((event) => client.listenerCount(event));
    const before = listeners();
    const store = redisStore({ client });
    await store.inspect("g");
    await store.close();
    expect(listeners()).toEqual(before);
    expect(await client.ping()).toBe("PONG");
  });
});

describe("a script that the server does not know does not follow", () => {
  test.each(["its own client", "one handed in"])("when that is said after the deadline, to %s", async (client) => {
    const server = await ownServer();
    const store = openStore(client === "one handed in" ? { client: openClient(server.url) } : { url: server.url });
    await store.inspect("g");
    await server.pause();
    expect(await failure(store.register("g", newcomer()))).toMatchObject({ code: "DT_STORE_TIMEOUT" });
    await server.resume();
    // Answered after the late reply; whatever followed that is before the next.
    await store.inspect("g");
    await setImmediate();
    expect(await store.inspect("g")).toMatchObject({ memberCount: 0 });
  });

  test.each(["ioredis", "another client"])("when that is said after close(), to %s", async (kind) => {
    const server = await ownServer();
    const client = openClient(server.url);
    const plain = { call: (command: string, ...args: string[]) => client.call(command, ...args) };
    const store = openStore({ client: kind === "ioredis" ? client : plain });
    await store.inspect("g");
    await server.pause();
    const call = failure(store.register("g", newcomer()));
    await setImmediate();
    await store.close();
    expect(await call).toMatchObject({ code: "DT_STORE_CLOSED", effect: "unknown" });
    await server.resume();
    await client.ping();
    await setImmediate();
    expect(await openStore({ client }).inspect("g")).toMatchObject({ memberCount: 0 });
  });

  test("when somebody else's arrives after the deadline of those who waited for it", async () => {
    const server = await ownServer();
    const client = openClient(server.url);
    const sent: string[] = [];
    let arrive = (): void => {};
    const arriving = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const slow = {
      async call(command: string, ...args: string[]): Promise<unknown> {
        sent.push(command);
        if (command === "EVAL") await arriving;
        return client.call(command, ...args);
      },
    };
    const store = openStore({ client: slow });
    const calls = [1, 2].map(() => failure(store.register("g", newcomer())));
    for (const { code } of await Promise.all(calls)) expect(code).toBe("DT_STORE_TIMEOUT");
    arrive();
    const other = openStore({ client });
    await until("the first caller's arrives", 3_000, async () => (await other.inspect("g")).memberCount === 1);
    await setImmediate();
    expect(sent).toEqual(["EVALSHA", "EVALSHA", "EVAL"]);
  });
});

describe("an AbortSignal", () => {
  test("that is aborted already keeps the call from being sent", async () => {
    const server = await ownServer();
    const store = openStore({ url: server.url });
    const error = await failure(store.register("g", newcomer(), AbortSignal.abort(new Error("no"))));
    expect(error).toMatchObject({ code: "DT_ABORTED", effect: "definite" });
    expect(await store.inspect("g")).toMatchObject({ memberCount: 0 });
  });

  test("ends a call at once; the effect is known when nothing was sent yet", async () => {
    const server = await ownServer();
    const store = openStore({ url: server.url });
    const registration = newcomer();
    const view = await store.register("g", registration);
    await server.pause();
    const sent = new AbortController();
    const sentCall = timed(failure(store.sync("g", registration, adopting(view, 2), sent.signal)));
    await until("it was handed over", 5_000, () => true);
    sent.abort();
    const { value, ms } = await sentCall;
    expect(value).toMatchObject({ code: "DT_ABORTED", effect: "unknown" });
    expect(ms).toBeLessThan(500);
    await server.kill();
    await until("the connection is known to be lost", 3_000, async () => {
      const waiting = new AbortController();
      const call = failure(store.sync("g", registration, adopting(view, 3), waiting.signal));
      await setImmediate();
      waiting.abort();
      const error = await call;
      return error.code === "DT_ABORTED" && error.effect === "definite";
    });
  });
});
