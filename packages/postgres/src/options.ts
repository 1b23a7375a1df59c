import type { Duration, Runtime } from "@dt/core";
import { checkKeys, invalidOption, option, settingsOf, type TableOf } from "@dt/core/internal";
import { checkAddress, type PostgresAddress, refuseForeignNames } from "./pool/address.ts";
import { createPool, type OwnPool, type PoolSettings } from "./pool/own-pool.ts";
import type { PostgresPool } from "./pool/postgres-pool.ts";
import { quotedSchema } from "./schema/migrations.ts";

/** Options of {@link postgresStore}. Exactly one of `pool` and `connectionString`. */
export interface PostgresStoreOptions extends PostgresAddress {
  /**
   * Where the tables and functions are. Stores with different schemas do not see each other's groups.
   * @default `"dt"`
   */
  readonly schema?: string;
  /**
   * Whether the store may create the schema, its tables and functions when they are missing. With false:
   * `migrationSql`.
   * @default true
   */
  readonly migrate?: boolean;
  /**
   * Deadline of every call, connecting included.
   * @default `"1s"`
   */
  readonly timeout?: Duration;
  /**
   * Deadline of making the tables and functions, or bringing them up to date, which is done once. `start()` waits for
   * it, and a call that comes first does so too; its own deadline begins afterwards.
   * @default `"1m"`
   */
  readonly setupTimeout?: Duration;
  /**
   * Hints by LISTEN / NOTIFY, so that changes are known at once instead of at the next sync. `true` takes one more
   * connection of the pool while there are listeners. An address of its own is needed when the store reaches the server
   * through a pooler such as PgBouncer. Give all processes of a group the same: those without it send no hints.
   * @default false
   */
  readonly hints?: boolean | PostgresAddress;
  /**
   * Receives errors of connections that no call is using (idle ones, and the one that listens), at the time they
   * happen.
   * @default they go unnoticed
   */
  readonly onError?: (error: unknown) => void;
  /**
   * Clock, timers and randomness.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

const KNOWN_OF_HINTS: ReadonlySet<string> = new Set<keyof PostgresAddress>(["connectionString", "pool"]);

const STORE = {
  connectionString: option.later,
  pool: option.later,
  schema: option.checked((_, schema) => quotedSchema(schema)).or("dt"),
  migrate: option.boolean.or(true),
  timeout: option.driverTimeout.or("1s"),
  setupTimeout: option.driverTimeout.or("1m"),
  hints: option.checked(checkHints).or(false),
  onError: option.callback<PostgresStoreOptions["onError"]>("give a function").or(() => {}),
  runtime: option.runtime,
} satisfies TableOf<PostgresStoreOptions>;

/** Options, checked. */
export interface PostgresStoreSettings {
  readonly pool: PostgresPool;
  /** The most statements at once: the size of a pool of the store's own. */
  readonly atOnce: number;
  /** The pool to listen by; undefined without hints. */
  readonly hintPool: PostgresPool | undefined;
  /** Pools that the store made, to be ended with it. */
  readonly ownPools: readonly OwnPool[];
  /** Quoted. */
  readonly schema: string;
  readonly migrate: boolean;
  readonly setupTimeoutMs: number;
  readonly poolSettings: PoolSettings;
}

/** Syncs go one at a time; the rest is for several throttles in one process, and one that listens. */
const CONNECTIONS = 4;

/** @throws DtError `DT_INVALID_OPTION` */
export function checkPostgresStoreOptions(options: PostgresStoreOptions): PostgresStoreSettings {
  if (typeof options !== "object" || options === null)
    throw invalidOption("options", options, 'give an object such as { connectionString: "postgres://localhost/app" }');
  refuseForeignNames(options);
  const { schema, migrate, setupTimeoutMs, hints, ...poolSettings } = settingsOf(STORE, options);
  const address = checkAddress("", options);

  const ownPools: OwnPool[] = [];
  const open = ({ pool, connectionString }: PostgresAddress, size: number): PostgresPool => {
    if (pool) return pool;
    const own = createPool(connectionString as string, size, poolSettings);
    ownPools.push(own);
    return own;
  };
  const pool = open(address, CONNECTIONS);
  const hintPool = hints === true ? pool : hints && open(hints, 1);
  const atOnce = address.pool ? Number.POSITIVE_INFINITY : CONNECTIONS;
  return { pool, atOnce, hintPool, ownPools, schema, migrate, setupTimeoutMs, poolSettings };
}

function checkHints(name: string, hints: unknown): true | PostgresAddress | undefined {
  if (hints === false) return undefined;
  if (hints === true) return true;
  if (typeof hints !== "object" || hints === null)
    throw invalidOption(name, hints, "give true, false, { pool } or { connectionString }");
  refuseForeignNames(hints, "hints.");
  checkKeys("options", hints, KNOWN_OF_HINTS, "hints.");
  return checkAddress("hints.", hints);
}
