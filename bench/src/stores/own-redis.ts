import { type RedisServer, startRedis } from "@dt-tooling/backends";
import { Redis } from "ioredis";

/** What the server has counted of one command. */
export interface CommandStat {
  readonly calls: number;
  /** Time spent in it, in microseconds. */
  readonly us: number;
}

/** A Redis that nobody else uses, so that its counters are ours alone, and a client to read them with. */
export async function startOwnRedis(): Promise<{ server: RedisServer; admin: Redis; version: string }> {
  const server = await startRedis({ control: true });
  const admin = new Redis(server.url);
  const version = /redis_version:(\S+)/.exec(await admin.info("server"))?.[1] ?? "of unknown version";
  return { server, admin, version };
}

/** Redis's own counters by command, the commands that scripts call included. */
export async function commandStats(admin: Redis): Promise<ReadonlyMap<string, CommandStat>> {
  const info = await admin.info("commandstats");
  return new Map(
    [...info.matchAll(/cmdstat_(\S+?):calls=(\d+),usec=(\d+)/g)].map(([, command, calls, us]) => [
      command as string,
      { calls: Number(calls), us: Number(us) },
    ]),
  );
}
