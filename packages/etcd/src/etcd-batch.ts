import {
  type Applied,
  applyCall,
  type Batch,
  DamagedData,
  type Head,
  type HybridClock,
  hasStored,
  type LedgerCall,
  type Outcome,
  observeRequest,
  type TimeKeeper,
} from "@dt/cas";
import { type GroupRow, livenessTime } from "@dt/core/ledger";
import type { CallLease } from "./call-lease.ts";
import { Cells, NotRead } from "./cells.ts";
import { ABSENT, type Driver, type Entries, type Lease, type Transaction } from "./driver.ts";
import { encodeHead, storedHead } from "./head.ts";
import type { GroupKeys } from "./keys.ts";
import type { GroupRepair } from "./repair.ts";
import { RowTable } from "./row-table.ts";
import { lastingMs, leaseFor, type Vacancy } from "./vacancy.ts";

/** In a group of up to so many members, every change of membership looks through all of it (R18). */
const LOOK_ALWAYS = 64;

/** How often a batch has the group looked through before it gives up. */
const MOST_DOUBTS = 5;

/** A call and, for a member's heartbeat, the lease that shows that it is alive. */
export type EtcdCall = LedgerCall & { readonly lease?: CallLease | undefined };

/** What a batch works with. */
export interface BatchContext {
  readonly driver: Driver;
  readonly keys: GroupKeys;
  readonly clock: HybridClock;
  readonly time: TimeKeeper<string>;
  readonly groupRepair: GroupRepair;
  /** A text that no other ledger bears. */
  readonly nextBirth: () => string;
  /** The time of limit records, in milliseconds. */
  readonly recordTime: () => number;
  /** How long the keys of an empty group are kept after nothing in them counts any more. */
  readonly keepEmptyMs: number;
}

/** Calls applied to the keys that were read, and what records them. */
export interface EtcdResult extends Applied {
  readonly table: RowTable;
  /** Undefined when there is nothing to record. */
  readonly transaction: Transaction | undefined;
  /** The head that the transaction writes, if it does. */
  readonly head: Head | undefined;
}

/**
 * Calls and removals in one transaction. It reads the few keys that they need, and writes on condition that the group's
 * aggregates are as they were read: every change of the ledger writes those.
 */
export class EtcdBatch implements Batch<Entries, EtcdResult> {
  readonly #context: BatchContext;
  readonly #stale: readonly string[];
  readonly #changesMembership: boolean;
  readonly #leases: readonly CallLease[];
  #doubts = 0;
  /** The keys to read; more turn out to be needed where the membership changes. */
  readonly #wanted: Set<string>;
  /** Set when the last one goes: a lease for the group's keys must be there before they are written. */
  #vacancy: Vacancy | undefined;
  #lease: Lease | undefined;

  /** @param stale incarnations to remove, unless they have come back to life */
  constructor(context: BatchContext, calls: readonly EtcdCall[], stale: readonly string[]) {
    const { keys, time } = context;
    this.#context = context;
    this.#stale = stale;
    this.#changesMembership =
      stale.length > 0 || calls.some(({ kind }) => kind === "register" || kind === "deregister");
    this.#leases = calls.flatMap(({ lease }) => lease ?? []);
    const size = time.head?.memberCount ?? 0;
    // A member that goes is replaced in its rank by the last one.
    const leaving = stale.length + calls.filter(({ kind }) => kind === "deregister").length;
    this.#wanted = new Set([
      keys.head,
      keys.group,
      ...calls.flatMap((call) => keysOf(call, keys)),
      ...stale.flatMap((incarnation) => [keys.memberOf(incarnation), keys.aliveOf(incarnation)]),
      ...Array.from({ length: Math.min(leaving, size) }, (_, i) => keys.rankOf(size - 1 - i)),
      // Where nobody stays, they get another lease.
      ...(leaving >= size ? [keys.levels] : []),
      ...(calls.some(hasStored) ? [keys.limit] : []),
    ]);
  }

  /**
   * Where the membership changes, or something looks wrong, the whole group is looked through as well, at the same
   * time: in a small group always, in a large one no more often than four times in a stale age.
   */
  async read(): Promise<Entries> {
    const { driver, groupRepair, time } = this.#context;
    const vacancy = this.#vacancy;
    this.#vacancy = undefined;
    const { memberCount = 0, quietLimitMs = 0 } = time.head ?? {};
    const isDue =
      groupRepair.isDoubted ||
      (this.#changesMembership && groupRepair.isDue(memberCount <= LOOK_ALWAYS ? 0 : quietLimitMs));
    const [entries, isMended, lease] = await Promise.all([
      driver.read(this.#wanted),
      isDue && groupRepair.mend(),
      vacancy && leaseFor(driver, vacancy),
      ...this.#leases.map((lease) => lease.refresh()),
    ]);
    this.#lease = lease ?? this.#lease;
    return isMended ? driver.read(this.#wanted) : entries;
  }

  apply(calls: readonly EtcdCall[], entries: Entries): EtcdResult | undefined {
    try {
      return this.#apply(calls, entries);
    } catch (error) {
      if (error instanceof NotRead) this.#foresee(error.key, entries);
      else if (error instanceof DamagedData && ++this.#doubts <= MOST_DOUBTS) this.#context.groupRepair.doubt();
      else throw error;
      return undefined;
    }
  }

  async commit({ transaction, head }: EtcdResult): ReturnType<Batch<Entries, EtcdResult>["commit"]> {
    if (!transaction) return { done: true, recorded: false };
    for (const lease of this.#leases) lease.renew();
    const committed = await this.#context.driver.commit(transaction);
    if (!committed.done) return committed;
    if (head) this.#context.time.take({ head, revision: committed.revision });
    return { done: true, recorded: true };
  }

  look(entries: Entries): RowTable {
    return new RowTable(this.#context.keys, new Cells(this.#wanted, entries), 0, [], "");
  }

  /** Undefined when the group must have a lease first. */
  #apply(calls: readonly EtcdCall[], entries: Entries): EtcdResult | undefined {
    const { keys, clock, time, groupRepair, nextBirth, recordTime } = this.#context;
    if (entries.has(keys.group)) groupRepair.sawGroup();
    else if (!groupRepair.sawNothing || entries.has(keys.head))
      throw new DamagedData(`etcd key ${keys.group}`, "nothing");
    const present = time.take(storedHead(entries.get(keys.head)));
    const cells = new Cells(this.#wanted, entries);
    const table = new RowTable(keys, cells, present?.timeMs ?? 0, this.#stale, nextBirth(), recordTime());
    if (entries.has(keys.group) && present?.birth !== table.birth)
      throw new DamagedData(`etcd key ${keys.head}`, "no head of this ledger");
    const before = table.group();
    if (before) clock.observe(before.lastMs);
    const outcomes = new Map<LedgerCall, Outcome>();
    for (const call of calls) {
      outcomes.set(call, attempt(call, table, clock.now()));
      observeRequest(call, clock);
    }
    const after = table.group();
    const records = table.changed || (after && isLearning(after)) || calls.some(({ record }) => record !== "news");
    const head = after && time.headFor(after, table.birth, present, records === true);
    if (!after || (!records && !head)) return { table, outcomes, head, transaction: undefined };
    const lease = after.memberCount === 0 ? this.#leaseOf(table, after, before) : undefined;
    if (lease) table.vacate(lease);
    else if (after.memberCount === 0) return undefined;
    else if (before?.memberCount === 0) table.occupy();
    return { table, outcomes, head, transaction: this.#transaction(cells, entries, head, lease) };
  }

  /**
   * The lease of a group without members: the one that it is on, or a new one; undefined when that must be asked for
   * first.
   */
  #leaseOf(table: RowTable, row: GroupRow, before: GroupRow | undefined): Lease | undefined {
    const { keepEmptyMs } = this.#context;
    const { longestStaleMs, lastMs: nowMs } = row;
    const lastsMs = lastingMs({ longestStaleMs, levels: table.levels(), nowMs, keepEmptyMs });
    const had = table.lease;
    const lease = [before?.memberCount === 0 ? had : undefined, this.#lease].find((one) => one && one.ttlMs >= lastsMs);
    if (!lease) this.#vacancy = { had, lastsMs };
    return lease;
  }

  #transaction(cells: Cells, entries: Entries, head: Head | undefined, lease: Lease | undefined): Transaction {
    const { keys } = this.#context;
    const revisionOf = (key: string): [string, string] => [key, entries.get(key)?.revision ?? ABSENT];
    // A member that comes back to life puts its sign of life together with the group's key, so that no condition on
    // signs is needed.
    const unchanged = new Map([keys.group, ...(head ? [keys.head] : [])].map(revisionOf));
    const { puts, deletes } = cells.writes();
    const all = head ? [...puts, { key: keys.head, value: encodeHead(head), lease: lease?.id }] : puts;
    return { unchanged, puts: all, deletes, otherwise: this.#wanted };
  }

  #foresee(missing: string, entries: Entries): void {
    const { keys } = this.#context;
    this.#wanted.add(missing);
    // Whoever is named will be looked at too.
    for (const key of this.#wanted) {
      const named = keys.isName(key) ? entries.get(key)?.value : undefined;
      if (named !== undefined) this.#wanted.add(keys.memberOf(named));
    }
  }
}

/** Only what is recorded counts as time in which members could claim: a quiet stretch does not (R8). */
function isLearning(row: GroupRow): boolean {
  return livenessTime(row) < row.learnUntilMs;
}

/** The keys that a call reads for certain. */
function keysOf(call: EtcdCall, keys: GroupKeys): readonly string[] {
  const own = keys.memberOf(call.ref.incarnation);
  return call.kind === "register" ? [own, keys.holderOf(call.ref.id), keys.levels] : [own];
}

function attempt(call: EtcdCall, table: RowTable, nowMs: number): Outcome {
  try {
    const { incarnation } = call.ref;
    const isHeartbeat = !call.overtaken || table.member(incarnation) === undefined;
    const view = applyCall(call, table, nowMs);
    const lease = call.lease?.toAttach;
    if (lease && isHeartbeat && (view?.status === "agree" || view?.status === "disagree"))
      table.attach(incarnation, lease);
    return { view };
  } catch (error) {
    if (error instanceof NotRead || error instanceof DamagedData) throw error;
    return { error };
  }
}
