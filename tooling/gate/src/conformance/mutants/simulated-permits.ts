import type { PermitRelease, PermitRequest, PermitSnapshot, Reservation } from "@dt/core";
import {
  checkName,
  checkPermitRelease,
  checkPermitRequest,
  damagedPermits,
  inspectPermits,
  releasePermits,
  reservePermits,
  resetPermits,
} from "@dt/core/ledger";
import type { PermitFlaw } from "./permit-flaw.ts";
import type { SimulatedServer } from "./simulated-server.ts";
import { PlainPermitTable } from "./suite-internals.ts";

/** The permit ledger's part of a simulated store, from where a request has reached the server. */
export class SimulatedPermits {
  readonly #server: SimulatedServer;
  readonly #flaw: PermitFlaw;
  readonly #client: number;

  constructor(server: SimulatedServer, flaw: PermitFlaw, client: number) {
    this.#server = server;
    this.#flaw = flaw;
    this.#client = client;
  }

  checkReserve(key: string, request: PermitRequest): void {
    const { unchecked } = this.#flaw;
    if (unchecked === "longest") {
      // Each part by itself: one permit of one unit may be as long as it likes, and nothing is too long at the shortest
      // interval.
      checkPermitRequest(key, { ...request, count: 1, cost: 1 });
      checkPermitRequest(key, { ...request, everyMs: Number.MIN_VALUE });
    } else if (!unchecked) checkPermitRequest(key, request);
  }

  checkRelease(key: string, release: PermitRelease): void {
    if (this.#flaw.unchecked !== "everything") checkPermitRelease(key, release);
  }

  reserve(key: string, request: PermitRequest): Promise<Reservation> {
    const run = this.#flaw.reserve ?? ((_, proceed) => proceed());
    return this.#change(key, (table, nowMs) =>
      run({ table, request, nowMs }, (asked = request) => reservePermits(table, asked, nowMs)),
    );
  }

  async release(key: string, release: PermitRelease): Promise<void> {
    const run = this.#flaw.release ?? ((_, proceed) => proceed());
    const freed = await this.#change(key, (table, nowMs) =>
      run({ table, request: release, nowMs }, (asked = release) => releasePermits(table, asked, nowMs)),
    );
    if (freed) for (const onFreed of this.#watchers(key)) queueMicrotask(onFreed);
  }

  async reset(key: string): Promise<void> {
    const run = this.#flaw.reset ?? ((_, proceed) => proceed());
    const name = this.#name(key);
    if (this.#flaw.damaged !== "kept" && this.#server.damagedPermits.delete(name)) this.#server.permits.delete(name);
    await this.#change(key, (table, nowMs) => run({ table, nowMs }, () => resetPermits(table, nowMs)));
    for (const onFreed of this.#watchers(key)) queueMicrotask(onFreed);
  }

  async inspect(key: string): Promise<PermitSnapshot | undefined> {
    const run = this.#flaw.inspect ?? ((_, proceed) => proceed());
    const name = this.#name(key);
    this.#refuseDamaged(key, name);
    const [table, nowMs] = [this.#server.permits.get(name) ?? new PlainPermitTable(), this.#now()];
    return run({ table, nowMs }, () => inspectPermits(table, key, nowMs));
  }

  /** The keys that somebody has used. */
  names(): readonly string[] {
    return [...this.#server.permits].filter(([, { key }]) => key).map(([name]) => name);
  }

  watch(key: string, onFreed: () => void): () => void {
    const watchers = this.#watchers(key);
    watchers.add(onFreed);
    return () => void watchers.delete(onFreed);
  }

  checkKey(key: string): void {
    checkName("key", key);
  }

  #watchers(key: string): Set<() => void> {
    const watchers = this.#server.permitWatchers.get(key) ?? new Set();
    this.#server.permitWatchers.set(key, watchers);
    return watchers;
  }

  /** Torn, it is the classic: read everything, work it out, write everything back, with room for others in between. */
  async #change<T>(key: string, operation: (table: PlainPermitTable, nowMs: number) => T): Promise<T> {
    const name = this.#name(key);
    if (this.#flaw.damaged === "served" && this.#server.damagedPermits.delete(name)) this.#server.permits.delete(name);
    this.#refuseDamaged(key, name);
    const table = this.#server.permits.get(name) ?? new (this.#flaw.table ?? PlainPermitTable)();
    this.#server.permits.set(name, table);
    if (!this.#flaw.torn) return operation(table, this.#now());
    const read = table.clone();
    await this.#server.reach(0);
    const result = operation(read, this.#now());
    table.become(read);
    return result;
  }

  #refuseDamaged(key: string, name: string): void {
    if (this.#server.damagedPermits.has(name)) throw damagedPermits(`the simulated row of ${key}`, "nonsense");
  }

  #name(key: string): string {
    return this.#flaw.key ? this.#flaw.key(key) : key;
  }

  #now(): number {
    const nowMs = this.#server.now();
    return this.#flaw.clock ? this.#flaw.clock(nowMs, this.#client) : nowMs;
  }
}
