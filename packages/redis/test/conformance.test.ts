import { conformance, type StoreTarget } from "@dt/conformance";
import type { StoreCapabilities } from "@dt/core";
import { systemRuntime } from "@dt/core";
import { type RedisCluster, type RedisServer, startRedis, startRedisCluster } from "@dt-tooling/backends";
import { afterAll, beforeAll, describe, it } from "vitest";
import { redisStore } from "../src/index.ts";
import { readmeUser } from "./support/readme-user.ts";
import { scriptCalls } from "./support/script-calls.ts";
import { SilentProxy } from "./support/silent-proxy.ts";

/** The contract on real servers. Every block starts its own, with the faults that a local process allows. */

const capabilities: StoreCapabilities = { name: "redis", clock: "server", ledger: true, losesData: true, push: true };

describe.each([2, 3] as const)("Redis over RESP%i", (protocol) => {
  let server: RedisServer;
  let proxy: SilentProxy;
  beforeAll(async () => {
    server = await startRedis({ control: true });
    proxy = await SilentProxy.start(server);
  });
  afterAll(async () => {
    await proxy?.stop();
    await server?.stop();
  });
  const options = () => ({ url: `redis://127.0.0.1:${proxy.port}`, options: { protocol } });
  const target: StoreTarget = {
    name: `redis (RESP${protocol})`,
    capabilities,
    createStore: () => redisStore(options()),
    createSkewedStore: (skewMs) =>
      redisStore({ ...options(), runtime: { ...systemRuntime, now: () => systemRuntime.now() + skewMs } }),
    roundTrips: () => scriptCalls(server),
    faults: {
      kill: () => server.kill(),
      restart: (restart) => server.restart(restart),
      pause: () => server.pause(),
      resume: () => server.resume(),
      partition: async () => proxy.silence(),
      heal: async () => proxy.heal(),
    },
  };
  conformance({ describe, it }, target);
});

describe("Redis with an ACL user that may do only what the README says, over TLS, under another prefix", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis({ tls: true, users: ["default off", readmeUser("limits", "throttle", "secret")] });
  });
  afterAll(() => server?.stop());
  conformance(
    { describe, it },
    {
      name: "redis (ACL, TLS, prefix)",
      capabilities,
      createStore: () =>
        redisStore({
          url: `rediss://throttle:secret@${server.host}:${server.port}`,
          options: { tls: { ca: server.ca as string } },
          prefix: "limits",
        }),
    },
  );
});

describe("Redis Cluster of three nodes", () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  }, 60_000);
  afterAll(() => cluster?.stop());
  conformance(
    { describe, it },
    {
      name: "redis (Cluster)",
      capabilities,
      createStore: () => redisStore({ cluster: { nodes: cluster.nodes.map(({ host, port }) => ({ host, port })) } }),
    },
  );
});
