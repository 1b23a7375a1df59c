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
  type Report,
  type Reservation,
  type StoreCapabilities,
  systemRuntime,
  type View,
} from "@dt/core";
import * as ledger from "@dt/core/ledger";
import type { RootDatabase } from "lmdb";
import { openShared, release } from "./environment.ts";
import { namesAfter } from "./lmdb-names.ts";
import { LmdbPermitTable } from "./lmdb-permit-table.ts";
import { LmdbTable, short } from "./lmdb-table.ts";

export const lmdbCapabilities: StoreCapabilities = {
  name: "lmdb",
  clock: "host",
  ledger: true,
  losesData: false,
  push: false,
};

/**
 * A coordination store and permit ledger in one LMDB file, for processes on one machine. The clock is the machine's;
 * the time of groups and keys absorbs its jumps.
 */
export class LmdbStore implements CoordinationStore, PermitLedger {
  readonly capabilities = lmdbCapabilities;
  readonly #path: string;
  readonly #db: RootDatabase;
  readonly #timeoutMs: number;
  readonly #closing = new AbortController();

  constructor(options: { readonly path: string; readonly timeoutMs?: number }) {
    this.#path = options.path;
    this.#db = openShared(options.path);
    this.#timeoutMs = options.timeoutMs ?? 1_000;
  }

  async register(group: string, registration: Registration, signal?: AbortSignal): Promise<View> {
    ledger.checkRegistration(group, registration);
    return this.#run("register", signal, () => ledger.register(this.#table(group), registration, Date.now()));
  }

  async sync(group: string, member: MemberRef, report: Report, signal?: AbortSignal): Promise<View> {
    ledger.checkReport(group, member, report);
    return this.#run("sync", signal, () => ledger.sync(this.#table(group), member, report, Date.now()));
  }

  async deregister(group: string, member: MemberRef, farewell: Farewell, signal?: AbortSignal): Promise<void> {
    ledger.checkFarewell(group, member, farewell);
    return this.#run("deregister", signal, () => ledger.deregister(this.#table(group), member, farewell, Date.now()));
  }

  async inspect(group: string, signal?: AbortSignal): Promise<GroupSnapshot> {
    ledger.checkName("group", group);
    return this.#run("inspect", signal, () => ledger.inspect(this.#table(group), group, Date.now()));
  }

  async list(cursor?: string, signal?: AbortSignal): Promise<GroupPage> {
    const groups = await this.#names("groups", cursor, signal);
    return { groups, ...ledger.nextAfter("lmdb groups", groups) };
  }

  async reserve(key: string, request: PermitRequest, signal?: AbortSignal): Promise<Reservation> {
    ledger.checkPermitRequest(key, request);
    const table = new LmdbPermitTable(this.#db, key);
    return this.#run("reserve", signal, () => ledger.reservePermits(table, request, Date.now()));
  }

  async release(key: string, release: PermitRelease, signal?: AbortSignal): Promise<void> {
    ledger.checkPermitRelease(key, release);
    const table = new LmdbPermitTable(this.#db, key);
    await this.#run("release", signal, () => ledger.releasePermits(table, release, Date.now()));
  }

  async inspectPermits(key: string, signal?: AbortSignal): Promise<PermitSnapshot | undefined> {
    ledger.checkName("key", key);
    const table = new LmdbPermitTable(this.#db, key);
    return this.#run("inspectPermits", signal, () => ledger.inspectPermits(table, key, Date.now()));
  }

  async listPermits(cursor?: string, signal?: AbortSignal): Promise<PermitPage> {
    const keys = await this.#names("keys", cursor, signal);
    return { keys, ...ledger.nextAfter("lmdb keys", keys) };
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    await release(this.#path);
  }

  async #names(list: "groups" | "keys", cursor: string | undefined, signal?: AbortSignal): Promise<string[]> {
    const after = ledger.readCursor(`lmdb ${list}`, cursor);
    return this.#run(`list of ${list}`, signal, () => namesAfter(this.#db, list, after && short(after)));
  }

  #table(group: string): LmdbTable {
    return new LmdbTable(this.#db, group);
  }

  /**
   * One operation in one write transaction (R1), within the deadline (R16); pending calls fail when the store is
   * closed.
   */
  async #run<T>(what: string, signal: AbortSignal | undefined, operation: () => T): Promise<T> {
    const closing = this.#closing.signal;
    if (closing.aborted) throw closed("definite");
    const either = signal ? AbortSignal.any([signal, closing]) : closing;
    const deadline = { runtime: systemRuntime, timeoutMs: this.#timeoutMs, what: `lmdb ${what}`, signal: either };
    try {
      return await ledger.withDeadline(() => this.#db.transaction(operation), deadline);
    } catch (error) {
      if (closing.aborted && !signal?.aborted) throw closed("unknown");
      if (isDtError(error)) throw error;
      throw new DtError("DT_STORE_UNAVAILABLE", `lmdb ${what} failed: ${String(error)}`, {
        effect: "unknown",
        cause: error,
      });
    }
  }
}

/** What was under way when the store was closed may have taken effect. */
function closed(effect: "definite" | "unknown"): DtError {
  return new DtError("DT_STORE_CLOSED", "the lmdb store is closed; create a new one", { effect });
}
