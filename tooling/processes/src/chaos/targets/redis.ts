import { startRedis } from "@dt-tooling/backends";
import { serverKill, serverPause, serverWipe } from "../faults/server-faults.ts";
import { type Target, urlAt } from "./target.ts";

/** One Redis, which may even forget everything: the learning period is as long as the validity. */
export async function redisTarget(): Promise<Target> {
  const redis = await startRedis({ control: true });
  const choose = () => redis;
  return {
    servers: [redis],
    address: (at) => ({ kind: "redis", url: urlAt(redis.url, at) }),
    faults: [serverPause(choose), serverKill(choose), serverWipe(choose)],
    losesWrites: false,
    wallClockIsStores: false,
    stop: () => redis.stop(),
  };
}
