import type { Runtime } from "@dt/core";
import type { ClusterOptions, RedisOptions } from "ioredis";
import { isReadOnly } from "../errors.ts";

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 500;

/** Reconnects after 50 to 500 ms, the delay doubled each time and halved at random at most, for as long as it takes. */
function backoff(runtime: Runtime): (attempt: number) => number {
  return (attempt) => {
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_RETRY_MS);
    return delayMs * (0.5 + runtime.random() / 2);
  };
}

/**
 * Options of clients that the store creates itself, below what the user gives:
 * - a command whose reply was lost fails at once, and is never sent again; none is queued while there is no connection
 * - a connection on which nothing comes for twice the deadline is given up, also while it is being made: a peer behind
 *   a dead network would otherwise be waited for as long as TCP tries, which is a quarter of an hour
 * - reconnecting goes on for ever, quickly; a server that loads its data is asked twice a second
 * - a server that became a replica is left, so that the next connection can go to the primary
 */
export function ownRedisOptions(timeoutMs: number, runtime: Runtime): RedisOptions {
  return {
    lazyConnect: true,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    connectTimeout: 2 * timeoutMs,
    socketTimeout: 2 * timeoutMs,
    sentinelCommandTimeout: timeoutMs,
    disconnectTimeout: LONGEST_RETRY_MS,
    maxLoadingRetryTime: LONGEST_RETRY_MS,
    retryStrategy: backoff(runtime),
    reconnectOnError: isReadOnly,
  };
}

/**
 * The same for a Cluster. Its connections to nodes are opened by ioredis when first used, with a queue that cannot be
 * turned off.
 */
export function ownClusterOptions(timeoutMs: number, runtime: Runtime, given: ClusterOptions = {}): ClusterOptions {
  const { retryStrategy: _, enableOfflineQueue: __, ...ofNodes } = ownRedisOptions(timeoutMs, runtime);
  // A redirection says that nothing ran. There are at most 16: with this delay they outlast nodes that disagree about a
  // slot for a moment, and end within the deadline.
  const redirectMs = Math.ceil(timeoutMs / 40);
  return {
    lazyConnect: true,
    retryDelayOnFailover: 0,
    retryDelayOnMoved: redirectMs,
    retryDelayOnClusterDown: redirectMs,
    retryDelayOnTryAgain: redirectMs,
    slotsRefreshTimeout: timeoutMs,
    clusterRetryStrategy: backoff(runtime),
    ...given,
    redisOptions: { ...ofNodes, ...given.redisOptions },
  };
}
