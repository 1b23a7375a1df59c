import type { Program } from "./program.ts";

/** Server and Sentinel are the same program. */
export const redisProgram: Program = {
  command: "redis-server",
  aptPackage: "redis-server",
  hint: "Install Redis (Debian: apt-get install redis-server, macOS: brew install redis), or set DT_REDIS_URL for what needs no control over the server.",
};
