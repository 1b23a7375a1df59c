import { Store } from "@dt/core/store";
import { redisBackend } from "./backend.ts";
import type { RedisStoreOptions } from "./options.ts";

/**
 * A store in Redis, for shares, permits and budgets: one script per operation, on the server's clock. In addition to
 * the contracts' errors it throws `DT_STORE_UNSUITABLE`, with the remedy, when the server cannot serve as a store: a
 * replica, no scripting, an ACL that forbids it. Hints come by pub/sub, on a connection of their own. There are none
 * for a client handed in that cannot listen.
 */
export class RedisStore extends Store {
  /**
   * Opens nothing yet: the first call does.
   * @throws DtError `DT_INVALID_OPTION`, `DT_UNSAFE_CLIENT`
   */
  constructor(options: RedisStoreOptions) {
    super(redisBackend(options));
  }
}

/**
 * A {@link RedisStore}. @throws DtError `DT_INVALID_OPTION`, `DT_UNSAFE_CLIENT`
 * @param options the client, or how to connect
 * @example const store = redisStore({ url: "redis://localhost:6379" });
 */
export function redisStore(options: RedisStoreOptions): RedisStore {
  return new RedisStore(options);
}
