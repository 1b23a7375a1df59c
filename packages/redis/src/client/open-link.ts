import { DtError, type Duration, type Runtime, systemRuntime } from "@dt/core";
import { checkDriverTimeout, checkKeys, checkRuntime, invalidOption } from "@dt/core/ledger";
import { Cluster, type ClusterNode, type ClusterOptions, Redis, type RedisOptions } from "ioredis";
import { type Connection, PlainConnection } from "./connection.ts";
import { IoredisConnection } from "./ioredis-connection.ts";
import { ownClusterOptions, ownRedisOptions } from "./own-options.ts";
import { type IoredisClient, isIoredis, type RedisClient } from "./redis-client.ts";
import { refuseUnsafeOptions } from "./unsafe-options.ts";

/**
 * How Redis is reached, and for how long it is waited for. Exactly one way: `client`, `cluster`, or `url` and `options`
 * (one or both).
 */
export interface RedisAddress {
  /**
   * A client of yours, which stays yours: the store neither changes nor ends it. Options that break the promise are
   * refused.
   */
  readonly client?: RedisClient;
  /** `redis://[user[:password]@]host[:port][/database]`, or `rediss://` for TLS. */
  readonly url?: string;
  /**
   * Options of ioredis for a client that the store creates: `sentinels` and `name`, `tls`, `username`, `password`, `db`
   * ...
   */
  readonly options?: RedisOptions;
  /** A Redis Cluster: some of its nodes, and options of ioredis's `Cluster`. */
  readonly cluster?: { readonly nodes: readonly ClusterNode[]; readonly options?: ClusterOptions };
  /** Deadline of every call, connecting included. Default `"1s"`. */
  readonly timeout?: Duration;
  /**
   * Receives errors of connections that the store opened itself, when they happen. Calls that fail because of them
   * report them too.
   * @default none
   */
  readonly onError?: (error: unknown) => void;
  /** Clock, timers and randomness. Default: the real ones. */
  readonly runtime?: Runtime;
}

/** A way to Redis, and for how long it is waited for. */
export interface RedisLink {
  readonly connection: Connection;
  readonly timeoutMs: number;
  readonly runtime: Runtime;
}

/** Nobody else sees the replies of a client that the store creates. */
const plainReplies = { replyMapping: "legacy" } as const;

const KNOWN = ["client", "url", "options", "cluster", "timeout", "onError", "runtime"];

/**
 * What ioredis takes, and therefore belongs into `options`: as an option of ours it would be ignored, and a password
 * sent in clear.
 */
const ofIoredis = ["tls", "host", "port", "path", "family", "username", "password", "db", "sentinels", "name"];

/**
 * Opens nothing yet: the first call does.
 * @param others options that the caller has besides, for the message about one that nobody has
 * @throws DtError `DT_INVALID_OPTION`, `DT_UNSAFE_CLIENT`
 */
export function openLink(address: RedisAddress, others: readonly string[]): RedisLink {
  const misplaced = ofIoredis.find((name) => name in address);
  if (misplaced !== undefined) {
    const orUrl = misplaced === "tls" ? ", or use rediss:// in the url" : "";
    // Not its value, which may be secret.
    throw new DtError(
      "DT_INVALID_OPTION",
      `${misplaced} is an option of ioredis; put it into options: { ${misplaced} }${orUrl}`,
    );
  }
  checkKeys("options", address, new Set([...KNOWN, ...others]));
  const runtime = checkRuntime(address.runtime ?? systemRuntime);
  const timeoutMs = checkDriverTimeout("timeout", address.timeout ?? "1s");
  if (address.onError !== undefined && typeof address.onError !== "function") {
    throw invalidOption("onError", address.onError, "give a function");
  }
  return { connection: connect(address, timeoutMs, runtime), timeoutMs, runtime };
}

function connect(given: RedisAddress, timeoutMs: number, runtime: Runtime): Connection {
  const { client, url, options, cluster, onError = () => {} } = given;
  const ways = Object.entries({ client, "url / options": url ?? options, cluster }).filter(
    ([, way]) => way !== undefined,
  );
  if (ways.length !== 1) {
    const names = ways.map(([name]) => name).join(", ");
    throw invalidOption(
      "the way to Redis",
      names || undefined,
      "give either client, or cluster, or url and / or options",
    );
  }
  const use = { timeoutMs, runtime, onError };
  if (client !== undefined) {
    checkClient(client);
    if (!isIoredis(client)) return new PlainConnection(client);
    refuseUnsafeOptions(client);
    return new IoredisConnection(client, { ...use, owned: false });
  }
  const own =
    cluster !== undefined ? createCluster(cluster, timeoutMs, runtime) : createRedis(url, options, timeoutMs, runtime);
  refuseUnsafeOptions(own);
  return new IoredisConnection(own, { ...use, owned: true });
}

function checkClient(client: unknown): void {
  if (typeof client === "object" && client !== null && typeof (client as Partial<RedisClient>).call === "function")
    return;
  throw invalidOption(
    "client",
    client,
    "give an ioredis Redis or Cluster, or an object with call(command, ...args); " +
      "for node-redis: { call: (...command) => client.sendCommand(command) }",
  );
}

function createRedis(url: unknown, options: unknown, timeoutMs: number, runtime: Runtime): IoredisClient {
  if (options !== undefined && (typeof options !== "object" || options === null)) {
    throw invalidOption("options", options, "give options of ioredis, such as { host, port, username, password, tls }");
  }
  const all = { ...ownRedisOptions(timeoutMs, runtime), ...(options as RedisOptions | undefined), ...plainReplies };
  if (url === undefined) return new Redis(all) as unknown as IoredisClient;
  const remedy = "give redis://[user[:password]@]host[:port][/database], or rediss:// for TLS";
  if (typeof url !== "string") throw invalidOption("url", url, remedy);
  // The url itself is not shown: it may hold a password.
  if (!/^rediss?:\/\//.test(url) || !URL.canParse(url))
    throw new DtError("DT_INVALID_OPTION", `url is not a Redis URL; ${remedy}`);
  if (!isDecodable(url))
    throw new DtError("DT_INVALID_OPTION", "url has a % that is not an escape; write a percent sign as %25");
  return new Redis(url, all) as unknown as IoredisClient;
}

/** ioredis decodes user and password, and throws a bare URIError where it cannot. */
function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

function createCluster(
  cluster: NonNullable<RedisAddress["cluster"]>,
  timeoutMs: number,
  runtime: Runtime,
): IoredisClient {
  checkKeys("cluster", cluster, new Set(["nodes", "options"]), "cluster.");
  const { options } = cluster;
  if (options !== undefined && (typeof options !== "object" || options === null)) {
    throw invalidOption("cluster.options", options, "give options of ioredis's Cluster, such as { redisOptions }");
  }
  if (!Array.isArray(cluster.nodes) || cluster.nodes.length === 0) {
    throw invalidOption("cluster.nodes", cluster.nodes, "give at least one node, such as [{ host, port }]");
  }
  const all = ownClusterOptions(timeoutMs, runtime, options);
  const withReplies = { ...all, redisOptions: { ...all.redisOptions, ...plainReplies } };
  return new Cluster([...cluster.nodes], withReplies) as unknown as IoredisClient;
}
