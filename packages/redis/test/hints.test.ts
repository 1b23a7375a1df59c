import { systemRuntime } from "@dt/core";
import { FaultProxy, type RedisServer, timed, until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import type { Redis } from "ioredis";
import { beforeEach, describe, expect, test } from "vitest";
import { type RedisStore, redisStore } from "../src/index.ts";
import { type Heard, hinted, listen } from "./support/hints.ts";
import { afterwards, openClient, openStore, ownServer } from "./support/keep.ts";

let server: RedisServer;
let admin: Redis;
beforeEach(async () => {
  server = await ownServer();
  admin = openClient(server.url);
});

const open = (): RedisStore => openStore({ url: server.url });

/** Connections of clients that subscribe. */
async function subscribers(): Promise<string[]> {
  const list = (await admin.client("LIST")) as string;
  return list.split("\n").filter((line) => / (p?sub|ssub)=[1-9]/.test(line));
}

describe.each([2, 3] as const)("hints over RESP%i", (protocol) => {
  const options = () => ({ url: server.url, options: { protocol } });

  test("come when a member joined, agreement was reached, and a member left, and not otherwise", async () => {
    const [store, other] = [openStore(options()), openStore(options())];
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
    const published = Number(/cmdstat_publish:calls=(\d+)/.exec(await admin.info("commandstats"))?.[1]);
    // Nobody listens to the other group.
    expect(published).toBe(4);
  });

  test("go on after the subscription's connection was killed, and the loss itself is a hint", async () => {
    const store = openStore(options());
    const hints = await listen(store, "g");
    await admin.call("CLIENT", "KILL", "TYPE", "pubsub");
    await hinted(hints, 1);
    expect((await subscribers()).length).toBe(1);
    const before = hints.count;
    await store.register("g", newcomer());
    await hinted(hints, before + 1);
  });

  test("go on after the server was killed and came back empty", async () => {
    const store = openStore(options());
    const hints = await listen(store, "g");
    await server.kill();
    await server.restart({ keepData: false });
    await hinted(hints, 1);
    const before = hints.count;
    await store.register("g", newcomer());
    await hinted(hints, before + 1);
  });

  test("go on after the network went silent: an idle store finds out by itself", async () => {
    const proxy = await FaultProxy.listen(server);
    afterwards(() => proxy.close());
    // The subscription is asked every 10 s whether it lives; here every 100 ms.
    const setTimer: typeof systemRuntime.setTimer = (callback, delayMs, settings) =>
      systemRuntime.setTimer(callback, delayMs === 10_000 ? 100 : delayMs, settings);
    const runtime = { ...systemRuntime, setTimer };
    const store = openStore({ url: `redis://127.0.0.1:${proxy.port}`, options: { protocol }, runtime });
    const hints = await listen(store, "g");
    await until("it was asked", 5_000, async () => /cmdstat_ping:calls=[2-9]/.test(await admin.info("commandstats")));
    expect(hints.count).toBe(0);
    proxy.apply({ type: "stall" });
    proxy.strand();
    await hinted(hints, 1);
    const before = hints.count;
    await open().register("g", newcomer());
    await hinted(hints, before + 1);
  });

  test("go on after the network went silent: a store at work finds out by its calls, sooner", async () => {
    const proxy = await FaultProxy.listen(server);
    afterwards(() => proxy.close());
    let sooner = true;
    const setTimer: typeof systemRuntime.setTimer = (callback, delayMs, settings) =>
      systemRuntime.setTimer(
        () => {
          if (delayMs === 10_000) sooner = false;
          callback();
        },
        delayMs,
        settings,
      );
    const store = openStore({
      url: `redis://127.0.0.1:${proxy.port}`,
      options: { protocol },
      runtime: { ...systemRuntime, setTimer },
    });
    const hints = await listen(store, "g");
    await store.inspect("g");
    proxy.apply({ type: "stall" });
    expect(await failure(store.inspect("g"))).toMatchObject({ code: "DT_STORE_TIMEOUT" });
    proxy.strand();
    await hinted(hints, 1);
    expect(sooner).toBe(true);
  });
});

describe("listening", () => {
  test("takes one connection for all groups, opened with the first listener and closed with the last", async () => {
    const store = open();
    await store.inspect("g");
    expect(await subscribers()).toEqual([]);
    const listeners = [await listen(store, "g"), await listen(store, "g"), await listen(store, "h")];
    expect((await subscribers()).length).toBe(1);
    expect((await subscribers())[0]).toContain(" sub=2 ");
    listeners[2]?.stop();
    await until("the other group is not listened to", 5_000, async () => (await subscribers())[0]?.includes(" sub=1 "));
    listeners[0]?.stop();
    listeners[0]?.stop();
    await store.register("g", newcomer());
    await hinted(listeners[1] as Heard, 1);
    expect(listeners[0]?.count).toBe(0);
    listeners[1]?.stop();
    await until("the connection is closed", 5_000, async () => (await subscribers()).length === 0);
    const again = await listen(store, "g");
    await store.register("g", newcomer());
    await hinted(again, 1);
  });

  test("fails by its deadline when the server does not answer, and leaves nothing behind", async () => {
    const store = open();
    await store.inspect("g");
    await server.pause();
    const { value, ms } = await timed(failure(listen(store, "g")));
    expect((value as { code: string }).code).toMatch(/^DT_STORE_(TIMEOUT|UNAVAILABLE)$/);
    expect(ms).toBeLessThan(1_600);
    await server.resume();
    await store.register("g", newcomer());
    await until("nobody listens", 5_000, async () => (await subscribers()).length === 0);
  });

  test("is given up at once by its AbortSignal", async () => {
    const store = open();
    await store.inspect("g");
    await server.pause();
    const controller = new AbortController();
    const call = failure(store.onHint?.("g", () => {}, controller.signal) as Promise<unknown>);
    controller.abort();
    expect(await call).toMatchObject({ code: "DT_ABORTED" });
  });

  test("keeps the client handed in free for commands, and ends with the store", async () => {
    const client = openClient(server.url);
    const store = redisStore({ client });
    const hints = await listen(store, "g");
    expect(client.mode).toBe("normal");
    await client.set("x", "1");
    await store.register("g", newcomer());
    await hinted(hints, 1);
    await store.close();
    await until("the subscription is closed", 5_000, async () => (await subscribers()).length === 0);
    expect(await client.get("x")).toBe("1");
  });

  test("hears the channel of its own prefix only", async () => {
    const [store, other] = [open(), openStore({ url: server.url, prefix: "other" })];
    const hints = await listen(store, "g");
    await other.register("g", newcomer());
    await listen(other, "g");
    await store.register("g", newcomer());
    await hinted(hints, 1);
    expect(hints.count).toBe(1);
  });
});
