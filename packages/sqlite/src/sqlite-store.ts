import {
  type CoordinationStore,
  DtError,
  type Farewell,
  type GroupPage,
  type GroupSnapshot,
  isDtError,
  type MemberRef,
  type PermitLedger,
  type PermitPage,
  type PermitRelease,
  type PermitRequest,
  type PermitSnapshot,
  type Registration,
  type RepairOptions,
  type RepairReport,
  type Report,
  type Reservation,
  type StoreCapabilities,
  type View,
} from "@dt/core";
import * as ledger from "@dt/core/ledger";
import { Bell } from "./bell.ts";
import { BUSY, Connection } from "./connection.ts";
import { type CheckedOptions, checkOptions, type SqliteStoreOptions } from "./options.ts";
import { SqlitePermitTable } from "./permits/sqlite-permit-table.ts";
import { SqliteTable } from "./sqlite-table.ts";
import { WaitingLine } from "./waiting-line.ts";
import { Watchers } from "./watchers.ts";

/** What {@link SqliteStore} can do. */
export const sqliteCapabilities: StoreCapabilities = Object.freeze({
  demand: true,
  name: "sqlite",
  clock: "host",
  ledger: true,
  losesData: false,
  push: true,
});

const GROUPS = "sqlite groups";
const KEYS = "sqlite keys";

/** What a ledger answers of a group's or a key's own accord. */
const REFUSALS: ReadonlySet<string> = new Set(["DT_INTERVAL_MISMATCH", "DT_PACE_MISMATCH", "DT_STORE_DATA"]);

/**
 * A coordination store and permit ledger in one SQLite file, for processes on one machine. The file is opened at the
 * first call. Its clock is the machine's wall clock as SQLite reads it inside the transaction: the one clock that all
 * processes share, also across a restart of the machine; the ledger's group time absorbs its jumps.
 */
export class SqliteStore implements CoordinationStore, PermitLedger {
  readonly capabilities: StoreCapabilities = sqliteCapabilities;
  readonly #options: CheckedOptions;
  readonly #line: WaitingLine;
  readonly #bell: Bell;
  readonly #watchers: Watchers;
  #connection: Connection | undefined;
  #closed = false;

  /** @throws DtError `DT_INVALID_OPTION` */
  constructor(options: SqliteStoreOptions) {
    this.#options = checkOptions(options);
    const { runtime, timeoutMs, path } = this.#options;
    this.#line = new WaitingLine(runtime, timeoutMs, path);
    this.#bell = new Bell(path);
    this.#watchers = new Watchers(this.#bell);
  }

  async register(group: string, registration: Registration, signal?: AbortSignal): Promise<View> {
    ledger.checkRegistration(group, registration);
    // What is in the file is not lost while its members live. A group that is told to learn does so from its creation.
    return this.#change("register", group, signal, (table, nowMs) =>
      ledger.register(table, registration, nowMs, nowMs),
    );
  }

  async sync(group: string, member: MemberRef, report: Report, signal?: AbortSignal): Promise<View> {
    ledger.checkReport(group, member, report);
    return this.#change("sync", group, signal, (table, nowMs) => ledger.sync(table, member, report, nowMs));
  }

  async deregister(group: string, member: MemberRef, farewell: Farewell, signal?: AbortSignal): Promise<void> {
    ledger.checkFarewell(group, member, farewell);
    return this.#change("deregister", group, signal, (table, nowMs) =>
      ledger.deregister(table, member, farewell, nowMs),
    );
  }

  async inspect(group: string, signal?: AbortSignal): Promise<GroupSnapshot> {
    ledger.checkName("group", group);
    return this.#run("inspect", signal, (connection) =>
      connection.transaction("read", (statements, nowMs) =>
        ledger.inspect(new SqliteTable(statements, group), group, nowMs),
      ),
    );
  }

  async repair(group: string, options: RepairOptions = {}, signal?: AbortSignal): Promise<RepairReport> {
    ledger.checkName("group", group);
    ledger.checkRepairOptions(options);
    return this.#change("repair", group, signal, (table, nowMs) => ledger.repair(table, options, nowMs));
  }

  async watch(group: string, onChange: () => void, signal?: AbortSignal): Promise<() => void> {
    ledger.checkName("group", group);
    return this.#watch((connection) => readState(connection, group), onChange, signal);
  }

  async list(cursor?: string, signal?: AbortSignal): Promise<GroupPage> {
    const groups = await this.#names("list", "listGroups", ledger.readCursor(GROUPS, cursor), signal);
    return { groups, ...ledger.nextAfter(GROUPS, groups) };
  }

  async reserve(key: string, request: PermitRequest, signal?: AbortSignal): Promise<Reservation> {
    ledger.checkPermitRequest(key, request);
    return this.#run("reserve", signal, (connection) =>
      connection.transaction("write", (statements, nowMs) =>
        ledger.reservePermits(new SqlitePermitTable(statements, key, nowMs), request, nowMs),
      ),
    );
  }

  async release(key: string, release: PermitRelease, signal?: AbortSignal): Promise<void> {
    ledger.checkPermitRelease(key, release);
    await this.#run("release", signal, (connection) => {
      const freed = connection.transaction("write", (statements, nowMs) => {
        const table = new SqlitePermitTable(statements, key, nowMs);
        const anything = ledger.releasePermits(table, release, nowMs);
        if (anything) table.countRelease();
        return anything;
      });
      if (freed === true) this.#bell.ring();
      return freed;
    });
  }

  async resetPermits(key: string, signal?: AbortSignal): Promise<void> {
    ledger.checkName("key", key);
    await this.#run("resetPermits", signal, (connection) => {
      const reset = connection.transaction("write", (statements, nowMs) => {
        const table = new SqlitePermitTable(statements, key, nowMs);
        try {
          ledger.resetPermits(table, nowMs);
          table.countRelease();
        } catch (error) {
          if (!isDtError(error, "DT_STORE_DATA")) throw error;
          table.forgetKey();
        }
      });
      if (reset !== BUSY) this.#bell.ring();
      return reset;
    });
  }

  async watchPermits(key: string, onFreed: () => void, signal?: AbortSignal): Promise<() => void> {
    ledger.checkName("key", key);
    return this.#watch((connection) => readReleases(connection, key), onFreed, signal);
  }

  async inspectPermits(key: string, signal?: AbortSignal): Promise<PermitSnapshot | undefined> {
    ledger.checkName("key", key);
    return this.#run("inspectPermits", signal, (connection) =>
      connection.transaction("read", (statements, nowMs) =>
        ledger.inspectPermits(new SqlitePermitTable(statements, key, nowMs), key, nowMs),
      ),
    );
  }

  async listPermits(cursor?: string, signal?: AbortSignal): Promise<PermitPage> {
    const keys = await this.#names("listPermits", "listPermitKeys", ledger.readCursor(KEYS, cursor), signal);
    return { keys, ...ledger.nextAfter(KEYS, keys) };
  }

  /** Closes the file and fails the calls that wait for it. Members stay members until they deregister or go stale. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#line.clear(this.#closedError());
    this.#watchers.clear();
    this.#bell.close();
    this.#disconnect();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** A page of names, from after this one on. */
  #names(
    what: string,
    statement: "listGroups" | "listPermitKeys",
    after: string,
    signal: AbortSignal | undefined,
  ): Promise<string[]> {
    return this.#run(what, signal, (connection) =>
      connection.transaction("read", (statements) => {
        const rows = statements[statement].all(after, ledger.PAGE_SIZE) as unknown as readonly { name: string }[];
        return rows.map(({ name }) => name);
      }),
    );
  }

  async #change<T>(
    what: string,
    group: string,
    signal: AbortSignal | undefined,
    operation: (table: SqliteTable, nowMs: number) => T,
  ): Promise<T> {
    return this.#run(what, signal, (connection) => {
      let table: SqliteTable | undefined;
      const result = connection.transaction("write", (statements, nowMs) => {
        const own = new SqliteTable(statements, group);
        table = own;
        return ledger.healing(own, nowMs, () => operation(own, nowMs));
      });
      if (result !== BUSY && table?.newsworthy) this.#bell.ring();
      return result;
    });
  }

  #run<T>(
    what: string,
    signal: AbortSignal | undefined,
    attempt: (connection: Connection) => T | typeof BUSY,
  ): Promise<T> {
    return this.#line.run(what, signal, () => {
      if (this.#closed) throw this.#closedError();
      this.#connection ??= this.#open();
      return this.#connection ? this.#attempt(this.#connection, attempt) : BUSY;
    });
  }

  #attempt<T>(connection: Connection, attempt: (connection: Connection) => T | typeof BUSY): T | typeof BUSY {
    try {
      return attempt(connection);
    } catch (error) {
      // After a refusal of the ledger the file is as good as before; after anything else the next call opens it anew.
      if (!isDtError(error) || !REFUSALS.has(error.code)) this.#disconnect();
      throw error;
    }
  }

  #open(): Connection | undefined {
    const connection = Connection.open(this.#options.path, this.#options.migrate);
    return connection === BUSY ? undefined : connection;
  }

  #disconnect(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** Opens the file if need be, so that a watcher hears of an unsuitable file at once. */
  #watch(
    read: (connection: Connection) => string | typeof BUSY,
    onChange: () => void,
    signal: AbortSignal | undefined,
  ): Promise<() => void> {
    const readNow = (): string | undefined => {
      if (!this.#connection) return undefined;
      const state = this.#attempt(this.#connection, read);
      return state === BUSY ? undefined : state;
    };
    return this.#run("watch", signal, () => this.#watchers.add(readNow, onChange));
  }

  #closedError(): DtError {
    return new DtError("DT_STORE_CLOSED", `the store of ${this.#options.path} is closed; create a new one`);
  }
}

/** A coordination store in one SQLite file; the same as `new SqliteStore(options)`. */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
  return new SqliteStore(options);
}

/** A text that changes whenever watchers of a group are to be told. */
function readState(connection: Connection, group: string): string | typeof BUSY {
  return connection.transaction("read", (statements) => {
    const row = new SqliteTable(statements, group).group();
    return row ? `${row.generation} ${row.adopted === row.poolSize}` : "";
  });
}

function readReleases(connection: Connection, key: string): string | typeof BUSY {
  return connection.transaction("read", ({ selectReleases }) => {
    const row = selectReleases.get(key) as { readonly releases: number } | undefined;
    return row ? String(row.releases) : "";
  });
}
