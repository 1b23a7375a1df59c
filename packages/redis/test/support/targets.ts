import type { StoreTarget } from "@dt/conformance";
import { type StoreCapabilities, systemRuntime } from "@dt/core";
import { FaultProxy, type RedisCluster, type RedisServer, startRedis, startRedisCluster } from "@dt-tooling/backends";
import { Redis } from "ioredis";
import { redisStore } from "../../src/index.ts";
import { redisDamage } from "./damage.ts";
import { readmeUser } from "./readme-user.ts";
import { scriptCalls } from "./script-calls.ts";

/** A target with servers of its own: start it before the suite runs, stop it afterwards. */
type ServedTarget = StoreTarget & { start(): Promise<void>; stop(): Promise<void> };

const capabilities: StoreCapabilities = {
  name: "redis",
  clock: "server",
  ledger: true,
  demand: true,
  slots: true,
  losesData: true,
  hints: true,
  dataAge: true,
};

/** What is not about deadlines is not failed by a machine that stands still for a second. */
const PATIENT = { timeout: "4s" } as const;

/**
 * One server, behind a proxy that can go silent, with every fault that a local process allows.
 * @param maxMembers the largest group
 */
export function redisTarget(protocol: 2 | 3, maxMembers = 1_200): ServedTarget {
  let server: RedisServer;
  let proxy: FaultProxy;
  const options = () => ({ url: `redis://127.0.0.1:${proxy.port}`, options: { protocol } });
  return {
    name: `redis (RESP${protocol})`,
    capabilities,
    permits: true,
    budgets: true,
    buckets: true,
    limits: true,
    maxMembers,
    async start() {
      server = await startRedis({ control: true });
      proxy = await FaultProxy.listen(server);
    },
    async stop() {
      await proxy?.close();
      await server?.stop();
    },
    createStore: ({ outage }) => redisStore({ ...options(), ...(!outage && PATIENT) }),
    createSkewedStore: (skewMs) =>
      redisStore({ ...options(), ...PATIENT, runtime: { ...systemRuntime, now: () => systemRuntime.now() + skewMs } }),
    roundTrips: () => scriptCalls(server),
    damage: redisDamage(() => new Redis(server.url)),
    faults: {
      kill: () => server.kill(),
      restart: (restart) => server.restart(restart),
      pause: () => server.pause(),
      resume: () => server.resume(),
      partition: async () => proxy.apply({ type: "stall" }),
      heal: async () => proxy.strand(),
    },
  };
}

/**
 * A server with an ACL user that may do only what the README says, over TLS, under another prefix.
 * @param maxMembers the largest group
 */
export function restrictedRedisTarget(maxMembers = 1_200): ServedTarget {
  let server: RedisServer;
  const address = () => ({ host: server.host, port: server.port });
  return {
    name: "redis (ACL, TLS, prefix)",
    capabilities,
    permits: true,
    budgets: true,
    buckets: true,
    limits: true,
    maxMembers,
    async start() {
      server = await startRedis({ tls: true, users: ["default off", readmeUser("limits", "throttle", "secret")] });
    },
    stop: async () => server?.stop(),
    createStore: () =>
      redisStore({
        url: `rediss://throttle:secret@${server.host}:${server.port}`,
        options: { tls: { ca: server.ca as string } },
        prefix: "limits",
        ...PATIENT,
      }),
    damage: redisDamage(
      () => new Redis({ ...address(), username: "throttle", password: "secret", tls: { ca: server.ca as string } }),
      "limits",
    ),
  };
}

/**
 * A Cluster of three nodes.
 * @param maxMembers the largest group
 */
export function redisClusterTarget(maxMembers = 1_200): ServedTarget {
  let cluster: RedisCluster;
  const nodes = () => cluster.nodes.map(({ host, port }) => ({ host, port }));
  return {
    name: "redis (Cluster)",
    capabilities: { ...capabilities, dataAge: false },
    permits: true,
    budgets: true,
    buckets: true,
    limits: true,
    maxMembers,
    async start() {
      cluster = await startRedisCluster();
    },
    stop: async () => cluster?.stop(),
    createStore: () => redisStore({ cluster: { nodes: nodes() }, ...PATIENT }),
    damage: redisDamage(() => new Redis.Cluster(nodes())),
  };
}
