import { type Duration, type Runtime, systemRuntime } from "@dt/core";
import { checkDriverTimeout, checkRuntime, invalidOption } from "@dt/core/ledger";
import { checkAddress, checkOptionKeys, type PostgresAddress } from "./pool/address.ts";
import { createPool, type OwnPool, type PoolUse } from "./pool/own-pool.ts";
import type { PostgresPool } from "./pool/postgres-pool.ts";
import { quotedSchema } from "./schema/migrations.ts";

/** Options of {@link postgresStore}. Exactly one of `pool` and `connectionString`. */
export interface PostgresStoreOptions extends PostgresAddress {
  /**
   * Where the tables and functions are. Stores with different schemas do not see each other's groups. Default `"dt"`.
   */
  readonly schema?: string;
  /**
   * Whether the store may create the schema, its tables and functions when they are missing. Default true. With false:
   * `migrationSql`.
   */
  readonly migrate?: boolean;
  /** Deadline of every call, connecting included. Default `"1s"`. */
  readonly timeout?: Duration;
  /**
   * Deadline of making the tables and functions, or bringing them up to date, which is done once. `start()` waits for
   * it, and a call that comes first does so too; its own deadline begins afterwards. Default `"1m"`.
   */
  readonly setupTimeout?: Duration;
  /**
   * Hints by LISTEN / NOTIFY, so that changes are known at once instead of at the next sync. `true` takes one more
   * connection of the pool while anybody watches; an address of its own is needed when the store reaches the server
   * through a pooler such as PgBouncer. Give all processes of a group the same: those without it give no hints. Default
   * false.
   */
  readonly push?: boolean | PostgresAddress;
  /**
   * Hears errors of connections that no call is using (idle ones, and the one that listens), at the time they happen.
   * Default: nobody.
   */
  readonly onError?: (error: unknown) => void;
  /** Clock, timers and randomness. Default: the real ones. */
  readonly runtime?: Runtime;
}

const KNOWN_OF_PUSH: ReadonlySet<string> = new Set<keyof PostgresAddress>(["connectionString", "pool"]);
const KNOWN: ReadonlySet<string> = new Set<keyof PostgresStoreOptions>([
  ...["connectionString", "pool", "schema", "migrate"],
  ...["timeout", "setupTimeout", "push", "onError", "runtime"],
] as const);

/** Options, checked. */
export interface PostgresStoreSettings {
  readonly pool: PostgresPool;
  /** The most statements at once: the size of a pool of the store's own. */
  readonly atOnce: number;
  /** The pool to listen by; undefined without push. */
  readonly pushPool: PostgresPool | undefined;
  /** Pools that the store made, to be ended with it. */
  readonly ownPools: readonly OwnPool[];
  /** Quoted. */
  readonly schema: string;
  readonly migrate: boolean;
  readonly setupTimeoutMs: number;
  readonly use: PoolUse;
}

/** Syncs go one at a time; the rest is for several throttles in one process, and one that listens. */
const POOL_SIZE = 4;

/** @throws DtError `DT_INVALID_OPTION` */
export function checkOptions(options: PostgresStoreOptions): PostgresStoreSettings {
  if (typeof options !== "object" || options === null)
    throw invalidOption("options", options, 'give an object such as { connectionString: "postgres://localhost/app" }');
  checkOptionKeys(options, KNOWN);
  const { push = false, onError = () => {}, runtime = systemRuntime, migrate = true } = options;
  if (typeof onError !== "function") throw invalidOption("onError", onError, "give a function");
  if (typeof migrate !== "boolean") throw invalidOption("migrate", migrate, "give true or false");
  const use = {
    timeoutMs: checkDriverTimeout("timeout", options.timeout ?? "1s"),
    runtime: checkRuntime(runtime),
    onError,
  };
  const setupTimeoutMs = checkDriverTimeout("setupTimeout", options.setupTimeout ?? "1m");
  const schema = quotedSchema(options.schema ?? "dt");
  const address = checkAddress("", options);
  const pushAddress = checkPush(push);

  const ownPools: OwnPool[] = [];
  const open = ({ pool, connectionString }: PostgresAddress, size: number): PostgresPool => {
    if (pool) return pool;
    const own = createPool(connectionString as string, size, use);
    ownPools.push(own);
    return own;
  };
  const pool = open(address, POOL_SIZE);
  const pushPool = pushAddress === true ? pool : pushAddress && open(pushAddress, 1);
  const atOnce = address.pool ? Number.POSITIVE_INFINITY : POOL_SIZE;
  return { pool, atOnce, pushPool, ownPools, schema, migrate, setupTimeoutMs, use };
}

function checkPush(push: unknown): true | PostgresAddress | undefined {
  if (push === false) return undefined;
  if (push === true) return true;
  if (typeof push === "object" && push !== null) {
    checkOptionKeys(push, KNOWN_OF_PUSH, "push.");
    return checkAddress("push.", push);
  }
  throw invalidOption("push", push, "give true, false, { pool } or { connectionString }");
}
