import {
  DtError,
  type Farewell,
  type GroupPage,
  type GroupSnapshot,
  type MemberRef,
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
import type { Flaw, Simulated, TransactionFlaw } from "./flaw.ts";
import type { PlainTable } from "./plain-table.ts";
import { SimulatedPermits } from "./simulated-permits.ts";
import type { SimulatedServer } from "./simulated-server.ts";

/** What a {@link SimulatedStore} can do. */
export const simulatedCapabilities: StoreCapabilities = {
  name: "simulated",
  clock: "server",
  ledger: true,
  losesData: true,
  push: true,
  demand: true,
};

/** A client of the simulated server. Without a flaw it keeps every rule, which the suite's own tests show. */
export class SimulatedStore implements Simulated {
  readonly capabilities: StoreCapabilities;
  readonly #server: SimulatedServer;
  readonly #flaw: Flaw;
  readonly #client: number;
  readonly #permits: SimulatedPermits;
  readonly #closing = new AbortController();

  constructor(server: SimulatedServer, flaw: Flaw) {
    this.#server = server;
    this.#flaw = flaw;
    this.capabilities = { ...simulatedCapabilities, ...flaw.capabilities };
    server.clients += 1;
    this.#client = server.clients;
    this.#permits = new SimulatedPermits(server, flaw.permits ?? {}, this.#client);
  }

  async register(group: string, registration: Registration, signal?: AbortSignal): Promise<View> {
    this.#check(group, registration, () => ledger.checkRegistration(group, registration));
    const run = this.#flaw.register ?? ((_, proceed) => proceed());
    return this.#change(group, signal, (table, nowMs) =>
      run({ table, ref: registration, request: registration, nowMs }, (request = registration) =>
        ledger.register(table, request, nowMs, this.#dataSinceMs()),
      ),
    );
  }

  async sync(group: string, ref: MemberRef, report: Report, signal?: AbortSignal): Promise<View> {
    this.#check(group, ref, () => ledger.checkReport(group, ref, report));
    const run = this.#flaw.sync ?? ((_, proceed) => proceed());
    return this.#change(group, signal, (table, nowMs) =>
      run({ table, ref, request: report, nowMs }, (request = report) => ledger.sync(table, ref, request, nowMs)),
    );
  }

  async deregister(group: string, ref: MemberRef, farewell: Farewell, signal?: AbortSignal): Promise<void> {
    this.#check(group, ref, () => ledger.checkFarewell(group, ref, farewell));
    const run = this.#flaw.deregister ?? ((_, proceed) => proceed());
    return this.#change(group, signal, (table, nowMs) =>
      run({ table, ref, request: farewell, nowMs }, (request = farewell) =>
        ledger.deregister(table, ref, request, nowMs),
      ),
    );
  }

  async inspect(group: string, signal?: AbortSignal): Promise<GroupSnapshot> {
    if (this.#flaw.unchecked !== "everything") ledger.checkName("group", group);
    return this.#call("inspect", signal, async () => {
      const table = this.#table(group);
      if (this.#flaw.transactions?.inspectLocks) (await this.#server.lock(table, false))();
      const snapshot = ledger.inspect(table, group, this.#now());
      return this.#flaw.inspect ? this.#flaw.inspect(snapshot, table) : snapshot;
    });
  }

  async repair(group: string, options: RepairOptions = {}, signal?: AbortSignal): Promise<RepairReport> {
    ledger.checkName("group", group);
    ledger.checkRepairOptions(options);
    const run = this.#flaw.repair ?? ((_, proceed) => proceed());
    return this.#commit(group, signal, (table, nowMs) =>
      run({ table, request: options, nowMs }, (request = options) => ledger.repair(table, request, nowMs)),
    );
  }

  async watch(group: string, onChange: () => void, signal?: AbortSignal): Promise<() => void> {
    ledger.checkName("group", group);
    return this.#call("watch", signal, async () => {
      const watchers = this.#server.watchers.get(group) ?? new Set();
      this.#server.watchers.set(group, watchers);
      watchers.add(onChange);
      return () => void watchers.delete(onChange);
    });
  }

  async list(cursor?: string, signal?: AbortSignal): Promise<GroupPage> {
    const { names, next } = await this.#page("groups", cursor, signal, () => this.#server.groups());
    return { groups: names, ...next };
  }

  async reserve(key: string, request: PermitRequest, signal?: AbortSignal): Promise<Reservation> {
    this.#permits.checkReserve(key, request);
    return this.#call("reserve", signal, () => this.#permits.reserve(key, request));
  }

  async release(key: string, release: PermitRelease, signal?: AbortSignal): Promise<void> {
    this.#permits.checkRelease(key, release);
    return this.#call("release", signal, () => this.#permits.release(key, release));
  }

  async resetPermits(key: string, signal?: AbortSignal): Promise<void> {
    this.#permits.checkKey(key);
    return this.#call("resetPermits", signal, () => this.#permits.reset(key));
  }

  async watchPermits(key: string, onFreed: () => void, signal?: AbortSignal): Promise<() => void> {
    this.#permits.checkKey(key);
    return this.#call("watchPermits", signal, async () => this.#permits.watch(key, onFreed));
  }

  async inspectPermits(key: string, signal?: AbortSignal): Promise<PermitSnapshot | undefined> {
    this.#permits.checkKey(key);
    return this.#call("inspectPermits", signal, () => this.#permits.inspect(key));
  }

  async listPermits(cursor?: string, signal?: AbortSignal): Promise<PermitPage> {
    const { names, next } = await this.#page("keys", cursor, signal, () => this.#permits.names());
    return { keys: names, ...next };
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }

  /** A page in order of the names. */
  async #page(
    list: string,
    cursor: string | undefined,
    signal: AbortSignal | undefined,
    all: () => readonly string[],
  ): Promise<{ readonly names: readonly string[]; readonly next: { readonly next?: string } }> {
    const after = ledger.readCursor(list, cursor);
    return this.#call("list", signal, async () => {
      const rest = all().filter((name) => name > after);
      const names = rest.sort().slice(0, ledger.PAGE_SIZE);
      return { names, next: ledger.nextAfter(list, names) };
    });
  }

  #check(group: string, ref: MemberRef, all: () => void): void {
    if (this.#flaw.unchecked === "numbers") ledger.checkMember(group, ref);
    else if (this.#flaw.unchecked === undefined) all();
  }

  #table(group: string): PlainTable {
    return this.#server.table(this.#flaw.key ? this.#flaw.key(group) : group);
  }

  #now(): number {
    const nowMs = this.#server.now();
    return this.#flaw.clock ? this.#flaw.clock(nowMs, this.#client) : nowMs;
  }

  /** Infinity where that is not known. */
  #dataSinceMs(): number {
    if (!this.capabilities.dataAge) return Number.POSITIVE_INFINITY;
    return this.#flaw.dataSince ? this.#flaw.dataSince(this.#server) : this.#server.dataSinceMs;
  }

  /** A change of the ledger, once more after a repair when it finds damage (R18). */
  #change<T>(
    group: string,
    signal: AbortSignal | undefined,
    operation: (table: PlainTable, nowMs: number) => T,
  ): Promise<T> {
    const heal = this.#flaw.heal ?? ((_, proceed) => proceed());
    return this.#commit(group, signal, (table, nowMs) => {
      try {
        return operation(table, nowMs);
      } catch (error) {
        if (!(error instanceof ledger.DamagedData)) throw error;
        heal({ table, nowMs }, () => ledger.repair(table, {}, nowMs));
      }
      return operation(table, nowMs);
    });
  }

  #commit<T>(
    group: string,
    signal: AbortSignal | undefined,
    operation: (table: PlainTable, nowMs: number) => T,
  ): Promise<T> {
    return this.#call("change", signal, async () => {
      const table = this.#table(group);
      const before = table.row && { ...table.row };
      const result = await this.#serve(table, operation);
      const after = table.row;
      const agreed = after && after.adopted === after.poolSize && before?.adopted !== after.adopted;
      if (after && (after.generation !== before?.generation || agreed)) this.#server.notify(group);
      return result;
    });
  }

  #serve<T>(table: PlainTable, operation: (table: PlainTable, nowMs: number) => T): T | Promise<T> {
    const { torn, transactions } = this.#flaw;
    if (torn) return this.#tear(table, operation);
    if (transactions) return this.#transact(table, operation, transactions);
    return operation(table, this.#now());
  }

  /** Waits for its turn, works on a draft for a while, and commits. */
  async #transact<T>(
    table: PlainTable,
    operation: (table: PlainTable, nowMs: number) => T,
    { answersEarly, readsClockEarly, writesBehind, unfair = false }: TransactionFlaw,
  ): Promise<T> {
    const arrivedMs = this.#now();
    const boot = this.#server.boots;
    const unlock = await this.#server.lock(table, unfair);
    const draft = table.clone();
    await this.#server.reach(0);
    let result: T;
    try {
      result = operation(draft, readsClockEarly ? arrivedMs : this.#now());
    } catch (error) {
      unlock();
      throw error;
    }
    const committed = this.#server
      .reach(0)
      .then(() => {
        if (boot !== this.#server.boots) return;
        const { saved } = this.#server;
        if (!writesBehind || draft.row?.generation !== table.row?.generation) saved.delete(table);
        else if (!saved.has(table)) saved.set(table, table.clone());
        table.become(draft);
      })
      .finally(unlock);
    committed.catch(() => {});
    if (!answersEarly) await committed;
    return result;
  }

  /** The classic: read everything, work it out, write everything back, with room for others in between. */
  async #tear<T>(table: PlainTable, operation: (table: PlainTable, nowMs: number) => T): Promise<T> {
    const read = table.clone();
    await this.#server.reach(0);
    const result = operation(read, this.#now());
    table.become(read);
    return result;
  }

  async #call<T>(what: string, signal: AbortSignal | undefined, serve: () => Promise<T>): Promise<T> {
    const { signal: closing } = this.#closing;
    if (closing.aborted) throw new DtError("DT_STORE_CLOSED", "the store is closed");
    const request = async (): Promise<T> => {
      await this.#server.reach(this.#flaw.trips ?? 1);
      return serve();
    };
    return new Promise<T>((resolve, reject) => {
      const close = (): void => reject(new DtError("DT_STORE_CLOSED", "the store is closed", { effect: "unknown" }));
      // A listener of every call that ever was would be looked through with each new one.
      const ended = (): void => closing.removeEventListener("abort", close);
      closing.addEventListener("abort", close, { once: true });
      ledger
        .withDeadline(request, { runtime: this.#server.runtime, timeoutMs: 1_000, what: `simulated ${what}`, signal })
        .then(
          (answer) => {
            ended();
            resolve(answer);
          },
          (error: unknown) => {
            ended();
            reject(error);
          },
        );
    });
  }
}
