import { createHash } from "node:crypto";
import type { RunOptions } from "../benchmark.ts";
import { interleaved } from "../interleaved.ts";
import { lowerQuartile, median } from "../statistics.ts";
import { commandStats, startOwnRedis } from "../stores/own-redis.ts";
import { BenchGroup } from "./bench-group.ts";

/** What of a sync is the server's own time. */
export interface ServerTimeRow {
  readonly what: ServerTimeKind;
  readonly members: number;
  /** The server's count (INFO commandstats, EVALSHA), in microseconds. */
  readonly median: number;
  readonly lowerQuartile: number;
  /** Against the plain heartbeat of as many members in the same round; median. */
  readonly againstHeartbeat: number;
}

export type ServerTimeKind = "even shares" | "by demand" | "plain heartbeat";

export interface ServerTimeFigures {
  readonly configuration: string;
  readonly rounds: number;
  readonly callsPerRound: number;
  readonly rows: readonly ServerTimeRow[];
}

/** The least that a heartbeat may be: a row written, and when its time is over. */
const HEARTBEAT =
  "redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1]) return 1";

/**
 * How long before a measured sync its member synced, at least: what a member does by default. What a sync costs depends
 * on it, as not every one moves its member in the sorted set of expiry.
 */
const syncEveryMs = 1_000;

interface Candidate {
  readonly what: ServerTimeKind;
  readonly members: number;
  run(times: number): Promise<void>;
  /** Comes before each round, and is not measured. */
  prepare?(): Promise<void>;
}

/** The time that a sync takes of the one thread of a Redis, beside the least that a heartbeat takes, in one run. */
export async function measureServerTime(
  options: RunOptions,
  sizes: readonly number[],
  rounds: number,
): Promise<ServerTimeFigures> {
  const callsPerRound = options.quick ? 20 : 1_000;
  const { redisStore } = await import("@dt/redis");
  const { server, admin, version } = await startOwnRedis();
  const store = redisStore({ url: server.url, timeout: "20s" });
  try {
    const candidates: Candidate[] = [];
    for (const members of sizes) {
      options.progress(`redis, time of the server: groups of ${members}`);
      const even = await BenchGroup.populated(store, `even-${members}`, members);
      const demand = await BenchGroup.byDemand(store, `demand-${members}`, members);
      const heartbeat = createHash("sha1").update(HEARTBEAT).digest("hex");
      await admin.script("LOAD", HEARTBEAT);
      let beats = 0;
      const beat = async (times: number): Promise<void> => {
        for (let i = 0; i < times; i++) {
          const [keys, member] = [
            [`{${members}}:rows`, `{${members}}:expiry`],
            `${beats++ % members}-0123456789abcdef`,
          ];
          await admin.evalsha(heartbeat, 2, ...keys, member, 1_784_567_890_123.25 + beats);
        }
      };
      const prepare = async (): Promise<void> => {
        const dueMs = performance.now() + (options.quick ? 0 : syncEveryMs);
        await even.sync(members);
        // A server that rests is slower afterwards.
        while (performance.now() < dueMs) await beat(50);
      };
      candidates.push(
        { what: "even shares", members, run: (times) => even.sync(times), prepare },
        { what: "by demand", members, run: (times) => demand.sync(times) },
        { what: "plain heartbeat", members, run: beat },
      );
    }
    // So that every heartbeat is of a member that is there.
    for (const { members, run } of candidates) await run(Math.max(members, callsPerRound));
    const serverUs = async (): Promise<number> => (await commandStats(admin)).get("evalsha")?.us ?? 0;
    const measured = await interleaved(candidates, rounds, async ({ run, prepare }) => {
      await prepare?.();
      const beforeUs = await serverUs();
      await run(callsPerRound);
      return ((await serverUs()) - beforeUs) / callsPerRound;
    });
    const rows = candidates.map(({ what, members }, i): ServerTimeRow => {
      const own = measured[i] as number[];
      const beat = measured[
        candidates.findIndex((c) => c.members === members && c.what === "plain heartbeat")
      ] as number[];
      const againstHeartbeat = median(own.map((us, round) => us / (beat[round] as number)));
      return { what, members, median: median(own), lowerQuartile: lowerQuartile(own), againstHeartbeat };
    });
    return { configuration: `Redis ${version} on loopback`, rounds, callsPerRound, rows };
  } finally {
    await store.close();
    admin.disconnect();
    await server.stop();
  }
}
