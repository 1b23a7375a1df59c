import { FaultProxy, type PostgresServer, startPostgres } from "@dt-tooling/backends";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type PostgresStore, type PostgresStoreOptions, postgresStore } from "../../src/index.ts";
import { Admin } from "./admin.ts";

/**
 * The server of the test file that calls {@link useOwnServer}, and its alone: tests may make roles and databases, and
 * stop, kill and empty it, if it works again after each.
 */
export let server: PostgresServer;
/** The test's own. */
export let admin: Admin;
/** The test's own; the first store makes it. */
export let schema: string;

let names = 0;
const kept: { close(): unknown }[] = [];

/**
 * To be called by a test file, once: starts the server before its tests and ends it after them.
 *
 * @param options.migrated the schema of each test is there. To make it takes longer than a call may on a busy machine
 * @param options.config of the server
 */
export function useOwnServer({
  migrated = false,
  config = {},
}: {
  readonly migrated?: boolean;
  readonly config?: Readonly<Record<string, string>>;
} = {}): void {
  beforeAll(async () => {
    server = await startPostgres({ control: true, config });
  });

  beforeEach(async () => {
    schema = newName();
    admin = keep(new Admin(server.url));
    if (!migrated) return;
    const store = openPatientStore();
    await store.inspect("g");
    await store.close();
  });

  afterEach(async () => {
    for (const thing of kept.splice(0).reverse()) await thing.close();
  });

  afterAll(() => server?.stop());
}

/** A name for a schema or a role that nobody else uses. */
export function newName(): string {
  return `s_${process.pid}_${++names}`;
}

/** Closes this after the test, the last first. */
export function keep<T extends { close(): unknown }>(thing: T): T {
  kept.push(thing);
  return thing;
}

/** A store of the test's schema on the server, unless the options say otherwise. */
export function openStore(options: Partial<PostgresStoreOptions> = {}): PostgresStore {
  const address = options.pool === undefined ? { connectionString: server.url } : {};
  return keep(postgresStore({ schema, ...address, ...options }));
}

/** The same with time to spare, for what is not about deadlines. */
export function openPatientStore(options: Partial<PostgresStoreOptions> = {}): PostgresStore {
  return openStore({ timeout: "10s", ...options });
}

/** A pool of the user's, with what the README tells to set. */
export function openPool(connectionString: string, max = 10, connectionTimeoutMillis = 2_000): pg.Pool {
  const pool = new pg.Pool({ connectionString, max, connectionTimeoutMillis });
  pool.on("error", () => {});
  keep({ close: () => pool.end() });
  return pool;
}

/** A way to the server that can go silent, with the address at which stores take it. */
export async function openProxy(): Promise<{ readonly proxy: FaultProxy; readonly connectionString: string }> {
  const proxy = await FaultProxy.listen(server);
  keep({ close: () => proxy.close() });
  return { proxy, connectionString: `postgres://postgres@127.0.0.1:${proxy.port}/postgres` };
}

/** The server's address as another role, or for another database. */
export function addressOf(change: { readonly user?: string; readonly database?: string }): string {
  const url = new URL(server.url);
  if (change.user !== undefined) url.username = change.user;
  if (change.database !== undefined) url.pathname = `/${change.database}`;
  return url.href;
}
