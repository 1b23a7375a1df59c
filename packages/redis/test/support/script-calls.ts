import type { RedisServer } from "@dt-tooling/backends";
import { Redis } from "ioredis";

/** Scripts that the server was asked to run since it started, by EVALSHA or EVAL. */
export async function scriptCalls(server: RedisServer): Promise<number> {
  const client = new Redis(server.url, { autoResendUnfulfilledCommands: false });
  try {
    const info = await client.info("commandstats");
    return [...info.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
  } finally {
    client.disconnect();
  }
}
