import { timed, until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { adopting, newcomer } from "@dt-tooling/worlds/requests";
import { describe, expect, test } from "vitest";
import { redisStore } from "../src/index.ts";
import { openClient, openStore, ownServer } from "./support/keep.ts";

/** Calls that are ended before they are answered: by `close()`, or by an AbortSignal. */

describe("a store that is closed", () => {
  test("fails calls under way at once, and every later one", async () => {
    const server = await ownServer();
    const store = redisStore({ url: server.url });
    const registration = newcomer();
    const view = await store.register("g", registration);
    await server.pause();
    const underWay = timed(failure(store.sync("g", registration, adopting(view, 2))));
    await store.close();
    const { value, ms } = await underWay;
    expect(value).toMatchObject({ code: "DT_STORE_CLOSED", effect: "unknown" });
    expect(ms).toBeLessThan(500);
    for (const call of [
      store.inspect("g"),
      store.watch?.("g", () => {}) as Promise<unknown>,
      store.register("g", newcomer()),
    ]) {
      expect(await failure(call)).toMatchObject({ code: "DT_STORE_CLOSED", effect: "definite" });
    }
    await store.close();
  }, 30_000);

  test("leaves no connection behind, whether the server answers or not", async () => {
    const server = await ownServer();
    const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    const before = sockets();
    for (const paused of [false, true]) {
      const store = redisStore({ url: server.url });
      await store.inspect("g");
      await store.watch?.("g", () => {});
      expect(sockets()).toBeGreaterThan(before);
      if (paused) await server.pause();
      await store.close();
      await until("its sockets are gone", 3_000, () => sockets() <= before);
    }
  }, 30_000);

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

describe("an AbortSignal", () => {
  test("that is aborted already keeps the call from being sent", async () => {
    const server = await ownServer();
    const store = openStore({ url: server.url });
    const error = await failure(store.register("g", newcomer(), AbortSignal.abort(new Error("no"))));
    expect(error).toMatchObject({ code: "DT_ABORTED", effect: "definite" });
    expect(await store.inspect("g")).toMatchObject({ poolSize: 0 });
  });

  test("ends a call at once; the effect is known when nothing was sent yet", async () => {
    const server = await ownServer();
    const store = openStore({ url: server.url });
    const registration = newcomer();
    const view = await store.register("g", registration);
    await server.pause();
    const sent = new AbortController();
    const sentCall = timed(failure(store.sync("g", registration, adopting(view, 2), sent.signal)));
    await until("it was handed over", 1_000, () => true);
    sent.abort();
    const { value, ms } = await sentCall;
    expect(value).toMatchObject({ code: "DT_ABORTED", effect: "unknown" });
    expect(ms).toBeLessThan(500);
    await server.kill();
    await until("the connection is known to be lost", 3_000, async () => {
      const waiting = new AbortController();
      const call = failure(store.sync("g", registration, adopting(view, 3), waiting.signal));
      await new Promise((resolve) => setImmediate(resolve));
      waiting.abort();
      const error = await call;
      return error.code === "DT_ABORTED" && error.effect === "definite";
    });
  }, 30_000);
});
