import { invalidOption } from "@dt/core/ledger";
import { openLink, type RedisAddress, type RedisLink } from "./client/open-link.ts";
import { checkPrefix } from "./keys.ts";

/**
 * Options of {@link redisStore}. Exactly one way to reach Redis: `client`, `cluster`, or `url` and `options` (one or
 * both).
 */
export interface RedisStoreOptions extends RedisAddress {
  /**
   * What every key and channel begins with. Without braces.
   * @default `"dt"`
   */
  readonly prefix?: string;
}

/** Options, checked. */
export interface RedisStoreSettings extends RedisLink {
  readonly prefix: string;
}

/** @throws DtError `DT_INVALID_OPTION`, `DT_UNSAFE_CLIENT` */
export function checkRedisStoreOptions(options: RedisStoreOptions): RedisStoreSettings {
  if (typeof options !== "object" || options === null) {
    throw invalidOption("options", options, 'give an object such as { url: "redis://localhost:6379" }');
  }
  const { prefix = "dt", ...address } = options;
  // The prefix first: a connection that was opened for nothing would have to be closed.
  const checked = checkPrefix(prefix);
  return { prefix: checked, ...openLink(address, ["prefix"]) };
}
