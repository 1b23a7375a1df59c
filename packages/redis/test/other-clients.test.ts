import { timed, until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import { Redis as Redis5 } from "ioredis-5";
import { Redis as Valkey } from "iovalkey";
import { createClient } from "redis";
import { describe, expect, test } from "vitest";
import { type RedisClient, redisStore } from "../src/index.ts";
import { server, useServer } from "./support/own-server.ts";

/** Clients other than ioredis, as the README hands them in. */

useServer({ control: true });

describe("node-redis", () => {
  async function connected(protocol: 2 | 3) {
    const client = createClient({ url: server.url, RESP: protocol, disableOfflineQueue: true });
    client.on("error", () => {});
    await client.connect();
    return client;
  }

  test.each([2, 3] as const)("serves the ledger and hints over RESP%i", async (protocol) => {
    const client = await connected(protocol);
    const subscriber = client.duplicate();
    subscriber.on("error", () => {});
    await subscriber.connect();
    const adapted: RedisClient = {
      call: (...command) => client.sendCommand(command),
      listen: async (channel, onMessage) => {
        await subscriber.subscribe(channel, onMessage);
        return () => void subscriber.unsubscribe(channel, onMessage).catch(() => {});
      },
    };
    const store = redisStore({ client: adapted, prefix: `node-redis-${protocol}` });
    expect(store.capabilities.hints).toBe(true);
    let hints = 0;
    const stop = await store.onHint?.("g", () => {
      hints += 1;
    });
    const registration = newcomer();
    const view = accepted(await store.register("g", registration));
    expect(await store.sync("g", registration, adopting(view, 2))).toMatchObject({ status: "agree", held: 10 });
    expect((await store.inspect("g")).members).toMatchObject([{ id: registration.id, held: 10 }]);
    await until("a hint came", 5_000, () => hints > 0);
    stop?.();
    await store.close();
    expect(await client.ping()).toBe("PONG");
    client.destroy();
    subscriber.destroy();
  });

  test("settles by the store's deadline while the server is stopped", async () => {
    const client = await connected(3);
    const store = redisStore({ client: { call: (...command) => client.sendCommand(command) } });
    expect(store.capabilities.hints).toBe(false);
    await store.inspect("g");
    await server.pause();
    const { value, ms } = await timed(failure(store.inspect("g")));
    await server.resume();
    expect(value).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "unknown" });
    expect(ms).toBeLessThan(1_600);
    await store.inspect("g");
    client.destroy();
  });
});

describe.each([
  ["iovalkey", Valkey],
  ["ioredis 5", Redis5],
] as const)("%s", (name, Client) => {
  test("is taken as it is, hints included, and checked like ioredis", async () => {
    const client = new Client(server.url, { autoResendUnfulfilledCommands: false });
    const store = redisStore({ client, prefix: name });
    let hints = 0;
    await store.onHint?.("g", () => {
      hints += 1;
    });
    const registration = newcomer();
    const view = await store.register("g", registration);
    expect(await store.sync("g", registration, adopting(view, 2))).toMatchObject({ status: "agree" });
    await until("a hint came", 5_000, () => hints > 0);
    await store.close();
    client.disconnect();

    const unsafe = new Client(server.url, { lazyConnect: true });
    expect(() => redisStore({ client: unsafe })).toThrow("autoResendUnfulfilledCommands is true");
    unsafe.disconnect();
  });
});

describe("a client that alters replies", () => {
  test("is told what was expected of it", async () => {
    const store = redisStore({ client: { call: async () => [Buffer.from("agree"), 1] } });
    const error = await failure(store.register("g", newcomer()));
    expect(error).toMatchObject({ code: "DT_STORE_REPLY", effect: "unknown" });
    expect(error.message).toContain("must return replies unchanged, with bulk strings as strings");
  });

  test.each([[null], [[]], [["agree", "x"]], [["agree", "1", "2"]], [["sideways", "1"]], [["unknown", 5]], ["agree"]])(
    "is refused when it gives %j for a view",
    async (reply) => {
      const store = redisStore({ client: { call: async () => reply } });
      expect(await failure(store.register("g", newcomer()))).toMatchObject({ code: "DT_STORE_REPLY" });
      expect(await failure(store.inspect("g"))).toMatchObject({ code: "DT_STORE_REPLY" });
    },
  );
});
