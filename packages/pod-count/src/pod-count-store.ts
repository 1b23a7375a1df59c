import {
  type CoordinationStore,
  DtError,
  type Farewell,
  type GroupSnapshot,
  isDtError,
  type MemberRef,
  type Registration,
  type Report,
  type Runtime,
  type StoreCapabilities,
  type View,
} from "@dt/core";
import { checkFarewell, checkName, checkRegistration, checkReport, withDeadline } from "@dt/core/ledger";
import { Member } from "./member.ts";
import { checkOptions, type PodCountOptions } from "./options.ts";
import { ObservedPool } from "./pool/observed-pool.ts";

/** What a pod count store promises: no ledger, no clock but the machine's own, hints when the pool changes. */
export const podCountCapabilities: StoreCapabilities = {
  name: "pod-count",
  clock: "host",
  ledger: false,
  losesData: false,
  push: true,
};

/**
 * Coordination without a store: how many processors there are is observed, and each takes its part of `max` by itself.
 * Nothing is kept and nobody is asked, so the promise is weaker than a ledger's (the README states by how much). What
 * differs from the contract because of that: only this process's own member is known, so the capacity is its own `max`,
 * the generation its own count of changes, `inspect` shows it alone; no level is resumed; a group has one throttle for
 * each store object, since one process is one processor.
 */
export class PodCountStore implements CoordinationStore {
  readonly capabilities: StoreCapabilities = podCountCapabilities;
  readonly #runtime: Runtime;
  readonly #timeoutMs: number;
  readonly #sourceName: string;
  readonly #onError: (error: DtError) => void;
  readonly #pool: ObservedPool;
  readonly #members = new Map<string, Member>();
  readonly #watchers = new Map<symbol, () => void>();
  #closed = false;

  /**
   * Opens nothing yet: the first registration does.
   * @throws DtError `DT_INVALID_OPTION`
   */
  constructor(options: PodCountOptions) {
    const { source, settleMs, ordinal, timeoutMs, onError, runtime } = checkOptions(options);
    this.#runtime = runtime;
    this.#timeoutMs = timeoutMs;
    this.#sourceName = source.name;
    this.#onError = onError;
    this.#pool = new ObservedPool({ source, runtime, settleMs, ordinal, onError, onChange: () => this.#notify() });
  }

  /**
   * Takes part in a group.
   * @throws DtError `DT_INVALID_OPTION` also when the group has a live throttle on this store already;
   *   `DT_STORE_UNAVAILABLE`, `DT_STORE_UNSUITABLE`,
   * `DT_STORE_REPLY` as the source says; `DT_STORE_TIMEOUT`, `DT_STORE_CLOSED`, `DT_ABORTED`
   */
  async register(group: string, registration: Registration, signal?: AbortSignal): Promise<View> {
    checkRegistration(group, registration);
    this.#assertUsable("register", signal);
    await this.#ready(signal);
    this.#assertUsable("register", signal);
    const nowMs = this.#runtime.now();
    const known = this.#members.get(group);
    if (known && known.incarnation !== registration.incarnation && !known.isStale(nowMs)) throw taken(group);
    if (known?.incarnation === registration.incarnation) {
      known.hear(registration, nowMs);
      return this.#view(group, known, nowMs);
    }
    const member = new Member(registration, nowMs, this.#pool);
    this.#members.set(group, member);
    return this.#view(group, member, nowMs);
  }

  /** @throws DtError as {@link register}, when the pool is out of sight or does not list this processor */
  async sync(group: string, { id, incarnation }: MemberRef, report: Report, signal?: AbortSignal): Promise<View> {
    checkReport(group, { id, incarnation }, report);
    this.#assertUsable("sync", signal);
    const nowMs = this.#runtime.now();
    const member = this.#members.get(group);
    if (member?.incarnation !== incarnation) return { status: "unknown", storeTimeMs: nowMs };
    member.hear(report, nowMs);
    return this.#view(group, member, nowMs);
  }

  /**
   * Takes part no longer. The pool is what the source says: others take over the share once it no longer lists this
   * processor.
   */
  async deregister(group: string, member: MemberRef, farewell: Farewell, signal?: AbortSignal): Promise<void> {
    checkFarewell(group, member, farewell);
    this.#assertUsable("deregister", signal);
    if (this.#members.get(group)?.incarnation === member.incarnation) this.#members.delete(group);
  }

  /** The pool's size as it counts here, and this process's own member: others are not heard of. */
  async inspect(group: string, signal?: AbortSignal): Promise<GroupSnapshot> {
    checkName("group", group);
    this.#assertUsable("inspect", signal);
    const nowMs = this.#runtime.now();
    return this.#members.get(group)?.snapshot(group, this.#pool, nowMs) ?? emptySnapshot(group, nowMs);
  }

  /** Calls back when the pool changed. */
  async watch(group: string, onChange: () => void, signal?: AbortSignal): Promise<() => void> {
    checkName("group", group);
    this.#assertUsable("watch", signal);
    const key = Symbol(group);
    this.#watchers.set(key, onChange);
    return () => this.#watchers.delete(key);
  }

  /** Ends the observation and fails pending calls. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#watchers.clear();
    this.#members.clear();
    this.#pool.close(closedError("the call in flight"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Waits for the source's first answer. Nothing has happened when that fails. */
  async #ready(signal: AbortSignal | undefined): Promise<void> {
    const what = `pod-count register, waiting for ${this.#sourceName},`;
    const deadline = { runtime: this.#runtime, timeoutMs: this.#timeoutMs, what, signal };
    try {
      await withDeadline(() => this.#pool.ready(), deadline);
    } catch (error) {
      if (!isDtError(error) || error.effect === "definite") throw error;
      throw new DtError(error.code, error.message, { cause: error.cause });
    }
  }

  #view(group: string, member: Member, nowMs: number): View {
    const view = member.view(this.#pool, nowMs);
    if (member.starves(view)) this.#onError(starvation(group, view.capacity, view.poolSize));
    return view;
  }

  #notify(): void {
    for (const onChange of this.#watchers.values()) queueMicrotask(onChange);
  }

  #assertUsable(call: string, signal: AbortSignal | undefined): void {
    if (this.#closed) throw closedError(call);
    if (signal?.aborted)
      throw new DtError("DT_ABORTED", `pod-count ${call} was given up by its AbortSignal`, { cause: signal.reason });
  }
}

/** A {@link PodCountStore}. @throws DtError `DT_INVALID_OPTION` */
export function podCountStore(options: PodCountOptions): PodCountStore {
  return new PodCountStore(options);
}

function closedError(call: string): DtError {
  return new DtError("DT_STORE_CLOSED", `pod-count ${call} failed: the store is closed; create a new one`);
}

function taken(group: string): DtError {
  return new DtError(
    "DT_INVALID_OPTION",
    `group ${JSON.stringify(group)} has a throttle on this store already, and a pod counts as one processor; share that throttle, or stop it first`,
  );
}

function starvation(group: string, max: number, poolSize: number): DtError {
  return new DtError(
    "DT_STORE_UNSUITABLE",
    `group ${JSON.stringify(group)} has max ${max} and ${poolSize} processors, so some are granted nothing at all (without ranks everybody); give a longer interval with a larger max (10 each second is 100 in 10 s), or a store with a ledger`,
  );
}

function emptySnapshot(group: string, nowMs: number): GroupSnapshot {
  return {
    group,
    generation: 0,
    capacity: 0,
    poolSize: 0,
    adopted: 0,
    held: 0,
    intervalMs: 0,
    storeTimeMs: nowMs,
    groupAgeMs: 0,
    learning: false,
    members: [],
  };
}
