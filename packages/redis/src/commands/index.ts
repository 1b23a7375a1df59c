/**
 * Plain commands to Redis, reached in the ways of the store and with its deadlines. For our own packages, which are
 * released together with this one: what is here may change in any version, so nothing else should import it.
 */

export type { RedisAddress } from "../client/open-link.ts";
export type { RedisClient } from "../client/redis-client.ts";
export { type Command, RedisCommands } from "./redis-commands.ts";
