import type { Runtime } from "@dt/core";
import { packageName } from "@dt/core/internal";
import { withDeadline } from "@dt/core/ledger";
import pg from "pg";
import type { PostgresPool } from "./postgres-pool.ts";

/** A pool that the store made, and ends. */
export interface OwnPool extends PostgresPool {
  end(): Promise<void>;
}

/** How pools are used. */
export interface PoolSettings {
  readonly timeoutMs: number;
  readonly runtime: Runtime;
  /** Receives the errors of connections that no call is using. */
  readonly onError: (error: unknown) => void;
}

/**
 * A pool of `pg` for the store alone. Its connections are opened when they are needed: in steady state that is one. An
 * attempt to connect may take twice the deadline, so that a slow one is there for the next call, and a peer behind a
 * dead network is given up.
 */
export function createPool(connectionString: string, max: number, { timeoutMs, onError }: PoolSettings): OwnPool {
  const pool = new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: 2 * timeoutMs,
    keepAlive: true,
    allowExitOnIdle: true,
    fallback_application_name: packageName("postgres"),
  });
  pool.on("error", onError);
  return pool;
}

/**
 * Ends pools. Their connections are ended, or will be at the latest when their deadline is over; waiting longer for a
 * server that is gone helps no caller.
 */
export async function endPools(
  pools: readonly OwnPool[],
  { runtime, timeoutMs, onError }: PoolSettings,
): Promise<void> {
  const ended = Promise.all(pools.map((pool) => pool.end()));
  await withDeadline(() => ended, { runtime, timeoutMs, what: "postgres close" }).catch(onError);
}
