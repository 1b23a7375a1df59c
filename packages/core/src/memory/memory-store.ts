import type {
  CoordinationStore,
  Farewell,
  MemberRef,
  Registration,
  Report,
  StoreCapabilities,
  View,
} from "../contract/coordination-store.ts";
import type { GroupSnapshot, RepairOptions, RepairReport } from "../contract/inspect-and-repair.ts";
import type { GroupPage, PermitPage } from "../contract/listing.ts";
import type { PermitLedger, PermitRelease, PermitRequest, Reservation } from "../contract/permit-ledger.ts";
import type { PermitSnapshot } from "../contract/permit-snapshot.ts";
import { DtError } from "../errors/dt-error.ts";
import { checkKeys, checkName, checkRuntime } from "../kit/check.ts";
import { checkFarewell, checkRegistration, checkRepairOptions, checkReport } from "../ledger/check-request.ts";
import { nextAfter, PAGE_SIZE, readCursor } from "../ledger/cursor.ts";
import { inspect } from "../ledger/inspect.ts";
import * as ledger from "../ledger/ledger.ts";
import { repair } from "../ledger/repair.ts";
import { checkPermitRelease, checkPermitRequest } from "../permits/check-permit-request.ts";
import { inspectPermits } from "../permits/inspect-permits.ts";
import { MemoryPermitTable } from "../permits/memory-permit-table.ts";
import { releasePermits, reservePermits, resetPermits } from "../permits/permits.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { systemRuntime } from "../runtime/system-runtime.ts";
import { ForgettingMap } from "./forgetting-map.ts";
import { isGroupOver, isKeyOver } from "./memory-life.ts";
import { MemoryTable } from "./memory-table.ts";
import { Watchers } from "./watchers.ts";

const GROUPS = "memory groups";
const KEYS = "memory keys";

const KNOWN_OPTIONS: ReadonlySet<string> = new Set(["runtime"]);

/**
 * The reference store: the ledger in this process's memory. For throttles that share a limit within one process, for
 * tests, and as the shortest example of a store. Its clock is the runtime's.
 */
export class MemoryStore implements CoordinationStore, PermitLedger {
  readonly capabilities: StoreCapabilities = {
    name: "memory",
    clock: "host",
    ledger: true,
    losesData: false,
    push: true,
    demand: true,
  };
  readonly #runtime: Runtime;
  readonly #tables = new ForgettingMap<MemoryTable>((table) => isGroupOver(table, this.#runtime.now()));
  readonly #watchers = new Watchers();
  readonly #permits = new ForgettingMap<MemoryPermitTable>((table) => isKeyOver(table, this.#runtime.now()));
  readonly #permitWatchers = new Watchers();
  #closed = false;

  /** @throws DtError `DT_INVALID_OPTION` */
  constructor(options: { readonly runtime?: Runtime } = {}) {
    checkKeys("options", options, KNOWN_OPTIONS);
    this.#runtime = checkRuntime(options.runtime ?? systemRuntime);
  }

  async register(group: string, registration: Registration, signal?: AbortSignal): Promise<View> {
    checkRegistration(group, registration);
    // What is in memory is not lost while its members live. A group that is told to learn does so from its creation.
    return this.#change(group, signal, (table, nowMs) => ledger.register(table, registration, nowMs, nowMs));
  }

  async sync(group: string, member: MemberRef, report: Report, signal?: AbortSignal): Promise<View> {
    checkReport(group, member, report);
    return this.#change(group, signal, (table, nowMs) => ledger.sync(table, member, report, nowMs));
  }

  async deregister(group: string, member: MemberRef, farewell: Farewell, signal?: AbortSignal): Promise<void> {
    checkFarewell(group, member, farewell);
    this.#change(group, signal, (table, nowMs) => ledger.deregister(table, member, farewell, nowMs));
  }

  async inspect(group: string, signal?: AbortSignal): Promise<GroupSnapshot> {
    checkName("group", group);
    this.#assertUsable(signal);
    return inspect(this.#tables.get(group) ?? new MemoryTable(), group, this.#runtime.now());
  }

  async repair(group: string, options: RepairOptions = {}, signal?: AbortSignal): Promise<RepairReport> {
    checkName("group", group);
    checkRepairOptions(options);
    return this.#change(group, signal, (table, nowMs) => repair(table, options, nowMs));
  }

  async watch(group: string, onChange: () => void, signal?: AbortSignal): Promise<() => void> {
    checkName("group", group);
    this.#assertUsable(signal);
    return this.#watchers.add(group, onChange);
  }

  async list(cursor?: string, signal?: AbortSignal): Promise<GroupPage> {
    const after = readCursor(GROUPS, cursor);
    this.#assertUsable(signal);
    const groups = pageAfter(after, this.#tables.names());
    return { groups, ...nextAfter(GROUPS, groups) };
  }

  async reserve(key: string, request: PermitRequest, signal?: AbortSignal): Promise<Reservation> {
    checkPermitRequest(key, request);
    this.#assertUsable(signal);
    return reservePermits(this.#permitTable(key), request, this.#runtime.now());
  }

  async release(key: string, release: PermitRelease, signal?: AbortSignal): Promise<void> {
    checkPermitRelease(key, release);
    this.#assertUsable(signal);
    if (releasePermits(this.#permitTable(key), release, this.#runtime.now())) this.#permitWatchers.notify(key);
  }

  async resetPermits(key: string, signal?: AbortSignal): Promise<void> {
    checkName("key", key);
    this.#assertUsable(signal);
    resetPermits(this.#permitTable(key), this.#runtime.now());
    this.#permitWatchers.notify(key);
  }

  async watchPermits(key: string, onFreed: () => void, signal?: AbortSignal): Promise<() => void> {
    checkName("key", key);
    this.#assertUsable(signal);
    return this.#permitWatchers.add(key, onFreed);
  }

  async inspectPermits(key: string, signal?: AbortSignal): Promise<PermitSnapshot | undefined> {
    checkName("key", key);
    this.#assertUsable(signal);
    return inspectPermits(this.#permits.get(key) ?? new MemoryPermitTable(), key, this.#runtime.now());
  }

  async listPermits(cursor?: string, signal?: AbortSignal): Promise<PermitPage> {
    const after = readCursor(KEYS, cursor);
    this.#assertUsable(signal);
    // A reset or a release of a key that nobody has used leaves a table without a row.
    const used = this.#permits.names().filter((key) => this.#permits.get(key)?.row());
    const keys = pageAfter(after, used);
    return { keys, ...nextAfter(KEYS, keys) };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#tables.clear();
    this.#watchers.clear();
    this.#permits.clear();
    this.#permitWatchers.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #change<T>(group: string, signal: AbortSignal | undefined, operation: (table: MemoryTable, nowMs: number) => T): T {
    this.#assertUsable(signal);
    const table = this.#tables.get(group) ?? new MemoryTable();
    const before = table.group();
    const result = operation(table, this.#runtime.now());
    const after = table.group();
    // A refusal of somebody whom nobody knows makes no group.
    if (after) this.#tables.set(group, table);
    if (after && (after.generation !== before?.generation || agreementReached(before, after)))
      this.#watchers.notify(group);
    return result;
  }

  #permitTable(key: string): MemoryPermitTable {
    const table = this.#permits.get(key) ?? new MemoryPermitTable();
    this.#permits.set(key, table);
    return table;
  }

  #assertUsable(signal: AbortSignal | undefined): void {
    if (this.#closed) throw new DtError("DT_STORE_CLOSED", "the memory store is closed; create a new one");
    if (signal?.aborted)
      throw new DtError("DT_ABORTED", "the call was given up by its AbortSignal", { cause: signal.reason });
  }
}

function agreementReached(
  before: { readonly adopted: number; readonly poolSize: number },
  after: { readonly adopted: number; readonly poolSize: number },
): boolean {
  return before.adopted < before.poolSize && after.adopted === after.poolSize;
}

/** The names of a page in their order, whatever came and went since the page before. */
function pageAfter(after: string, names: readonly string[]): readonly string[] {
  const rest = names.filter((name) => name > after);
  return rest.sort().slice(0, PAGE_SIZE);
}
