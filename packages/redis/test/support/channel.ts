import type { Redis } from "ioredis";
import type { Keys } from "../../src/keys.ts";
import { channelOf } from "../../src/listen.ts";

/** The secret in the name of the channel of these hints, or null while nobody has listened. */
export function secretOf(admin: Redis, { hints }: Keys): Promise<string | null> {
  return admin.hget(hints, "secret");
}

/** How many connections listen to the channel on which these hints are given now. */
export async function listenersOf(admin: Redis, where: Keys): Promise<number> {
  const secret = await secretOf(admin, where);
  if (secret === null) return 0;
  const [, listeners] = (await admin.pubsub("NUMSUB", channelOf(where, secret))) as [string, number];
  return listeners;
}
