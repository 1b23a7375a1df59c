import { DtError } from "@dt/core";
import type { IoredisClient } from "./redis-client.ts";

/**
 * Refuses a client that sends a command again after its reply was lost: the command may then run twice, and the second
 * time late, after everything that was sent since. Read in ioredis 6:
 * - `autoResendUnfulfilledCommands` (default true) keeps unanswered commands over a lost connection and sends them on
 *   the next one.
 * - `retryDelayOnFailover` of a Cluster (default 100) sends a command again when the connection to its node was closed.
 *   What it does on MOVED, ASK, TRYAGAIN and CLUSTERDOWN is safe: these replies say that nothing ran.
 *
 * Other options are safe as they are: `enableOfflineQueue` because this package waits until the client is ready before
 * it hands a command over, `maxRetriesPerRequest` and `commandTimeout` because they only end a call earlier than this
 * package's own deadline would.
 *
 * @throws DtError `DT_UNSAFE_CLIENT`, naming the option, its value and the remedy
 */
export function refuseUnsafeOptions(client: IoredisClient): void {
  const { autoResendUnfulfilledCommands, retryDelayOnFailover, clusterNodeRetryStrategy, redisOptions } =
    client.options;
  if (!client.isCluster) {
    requireValue("autoResendUnfulfilledCommands", autoResendUnfulfilledCommands, false);
    return;
  }
  requireValue("retryDelayOnFailover", retryDelayOnFailover, 0);
  // Without clusterNodeRetryStrategy a node's connection is never opened again, and so nothing is sent on it again.
  if (typeof clusterNodeRetryStrategy !== "function") return;
  const ofNodes = redisOptions?.autoResendUnfulfilledCommands;
  requireValue("redisOptions.autoResendUnfulfilledCommands", ofNodes, false);
}

function requireValue(option: string, value: unknown, safe: false | 0): void {
  if (value === safe) return;
  throw new DtError(
    "DT_UNSAFE_CLIENT",
    `the client's option ${option} is ${value === undefined ? "not set" : String(value)}, with which ioredis sends a command again after its reply was lost; ` +
      `create the client with ${option}: ${safe}, or give this store a \`url\` or \`options\` and let it create its own`,
  );
}
