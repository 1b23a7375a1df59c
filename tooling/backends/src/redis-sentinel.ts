import { writeFile } from "node:fs/promises";
import { LocalServer } from "./local-server.ts";
import { requireProgram } from "./program.ts";
import { type RedisServer, startRedis } from "./redis.ts";
import { withRedis } from "./redis-client.ts";
import { redisProgram } from "./redis-program.ts";
import type { RunningServer } from "./running-server.ts";
import { startAll, stopAll } from "./start-all.ts";
import { until } from "./until.ts";

export interface RedisSentinelOptions {
  /** Number of Sentinels; the majority of them decides. Default 3. */
  readonly sentinels?: number;
  /** Number of replicas of the master. Default 1. */
  readonly replicas?: number;
  /**
   * Silence after which a Sentinel holds the master for dead, in milliseconds. Default 1000. A busy machine can hold a
   * healthy master up for that long: then the Sentinels promote a replica.
   */
  readonly downAfterMs?: number;
}

/** A master, its replicas and the Sentinels that watch them; each a process of its own. */
export interface RedisSentinel extends AsyncDisposable {
  readonly sentinels: readonly RunningServer[];
  readonly masterName: string;
  /** Master and replicas, in the order of their start: the first was the first master. */
  readonly servers: readonly RedisServer[];
  /** The server that the first answering Sentinel names as the master. */
  master(): Promise<RedisServer>;
  /**
   * Makes the Sentinels promote a replica; resolves with it when all of them name it and it takes writes. The old
   * master may take writes, too, for about 10 s more, until a Sentinel turns it into a replica: they are lost then.
   */
  failover(): Promise<RedisServer>;
  stop(): Promise<void>;
}

const masterName = "dt-master";
/** A Sentinel that stood still for 2 s does nothing for 30 s (its TILT mode). */
const settleMs = 60_000;
/** How long a Sentinel gives each step of a failover. It begins the next one no sooner than twice that later. */
const failoverTimeoutMs = 5_000;

/**
 * Starts a Redis master with replicas under Sentinel; resolves when the Sentinels know each other and every replica.
 */
export async function startRedisSentinel(options: RedisSentinelOptions = {}): Promise<RedisSentinel> {
  const { sentinels: sentinelCount = 3, replicas: replicaCount = 1, downAfterMs = 1_000 } = options;
  const servers = await startAll([startRedis({ control: true })]);
  const sentinels: RunningServer[] = [];
  const stop = (): Promise<void> => stopAll([...sentinels, ...servers]);
  try {
    const first = servers[0] as RedisServer;
    servers.push(...(await startAll(Array.from({ length: replicaCount }, () => startRedis({ replicaOf: first })))));
    const quorum = Math.floor(sentinelCount / 2) + 1;
    const starts = Array.from({ length: sentinelCount }, () => startSentinel(first, quorum, downAfterMs));
    sentinels.push(...(await startAll(starts)));
    await until("the Sentinels know each other and the replicas", settleMs, async () => {
      const known = await Promise.all(sentinels.map(describeMaster));
      return known.every(
        (facts) =>
          facts.get("num-other-sentinels") === String(sentinelCount - 1) &&
          facts.get("num-slaves") === String(replicaCount),
      );
    });
  } catch (error) {
    await stop();
    throw error;
  }

  const serverAt = async (sentinel: RunningServer): Promise<RedisServer | undefined> => {
    const port = (await describeMaster(sentinel)).get("port");
    return servers.find((server) => String(server.port) === port);
  };
  const master = (): Promise<RedisServer> =>
    Promise.any(sentinels.map(serverAt)).then((server) => {
      if (server === undefined) throw new Error("the Sentinels name a master that is none of ours");
      return server;
    });
  const failover = async (): Promise<RedisServer> => {
    const before = await until("a Sentinel names the master", settleMs, master);
    return until("the Sentinels agree on a new master and it takes writes", settleMs, async () => {
      const [named, ...others] = await Promise.all(sentinels.map(serverAt));
      // Ordered anew whenever it is not under way, which fails otherwise: a Sentinel gives up a failover whose steps
      // take too long, and leaves it at that.
      if (named === before)
        await withRedis(sentinels[0] as RunningServer, (client) => client.call("SENTINEL", "FAILOVER", masterName));
      if (named === undefined || named === before || others.some((other) => other !== named)) return undefined;
      const role = (await withRedis(named, (client) => client.call("ROLE"))) as string[];
      return role[0] === "master" ? named : undefined;
    });
  };
  return { sentinels, masterName, servers, master, failover, stop, [Symbol.asyncDispose]: stop };
}

async function startSentinel(master: RedisServer, quorum: number, downAfterMs: number): Promise<RunningServer> {
  const command = await requireProgram(redisProgram);
  return LocalServer.start({
    name: "redis-sentinel",
    prepare: async (sandbox, port) => {
      const lines = [
        "bind 127.0.0.1",
        `port ${port}`,
        `dir "${sandbox.folder}"`,
        `sentinel monitor ${masterName} ${master.host} ${master.port} ${quorum}`,
        `sentinel down-after-milliseconds ${masterName} ${downAfterMs}`,
        `sentinel failover-timeout ${masterName} ${failoverTimeoutMs}`,
      ];
      await writeFile(sandbox.path("sentinel.conf"), `${lines.join("\n")}\n`);
    },
    plan: (sandbox, port) => ({
      command,
      args: [sandbox.path("sentinel.conf"), "--sentinel"],
      probe: () => withRedis({ host: "127.0.0.1", port }, (client) => client.ping()),
    }),
  });
}

/** What a Sentinel knows about the master, as field names and values. */
async function describeMaster(sentinel: RunningServer): Promise<Map<string, string>> {
  const reply = (await withRedis(sentinel, (client) => client.call("SENTINEL", "MASTER", masterName))) as string[];
  const facts = new Map<string, string>();
  for (let i = 0; i + 1 < reply.length; i += 2) facts.set(reply[i] as string, reply[i + 1] as string);
  return facts;
}
