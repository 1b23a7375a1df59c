import {
  type CellGroup,
  DamagedData,
  HybridClock,
  isLimitCurrent,
  LedgerWriter,
  limitIn,
  MemberMemory,
  type ReadLimit,
  recordTimeMs,
  TimeKeeper,
  type Written,
} from "@dt/cas";
import type { Farewell, GroupSnapshot, MemberRef, Registration, RepairReport, Report, Runtime, View } from "@dt/core";
import { DtError } from "@dt/core";
import { CallLease } from "./call-lease.ts";
import type { Driver, Entries, Lease } from "./driver.ts";
import { EtcdBatch, type EtcdCall, type EtcdResult } from "./etcd-batch.ts";
import { EtcdHeadStore, slackMs } from "./head.ts";
import { HeadHistory } from "./head-history.ts";
import { inspectGroup } from "./inspect.ts";
import type { GroupKeys } from "./keys.ts";
import { GroupRepair } from "./repair.ts";
import type { RowTable } from "./row-table.ts";
import { decodeStoredMember } from "./stored.ts";
import { Sweeper } from "./sweeper.ts";
import { KEEP_EMPTY_MS } from "./vacancy.ts";

/** etcd takes at most 128 operations in a transaction, and a call or a removal may need six. */
const MOST_CALLS = 8;
const MOST_CHANGES = 20;

/** A member that this client speaks for, and the lease that its sign of life is bound to. */
interface KnownMember {
  readonly memory: MemberMemory;
  lease: Lease | undefined;
}

/** What a session works with. */
export interface SessionContext {
  readonly driver: Driver;
  readonly runtime: Runtime;
  readonly timeoutMs: number;
  /** Tells this client from all others. */
  readonly client: string;
  /**
   * How long the keys of an empty group are kept after nothing in them counts any more, in milliseconds. Default
   * {@link KEEP_EMPTY_MS}.
   */
  readonly keepEmptyMs?: number;
}

/** One group in etcd as this client takes part in it. */
export class GroupSession implements CellGroup {
  readonly clock: HybridClock;
  readonly #keys: GroupKeys;
  readonly #driver: Driver;
  readonly #runtime: Runtime;
  readonly #time: TimeKeeper<string>;
  readonly #groupRepair: GroupRepair;
  readonly #sweeper: Sweeper;
  readonly #writer: LedgerWriter<Entries, EtcdResult, string>;
  readonly #members = new Map<string, KnownMember>();

  constructor(keys: GroupKeys, context: SessionContext) {
    const { driver, runtime, timeoutMs, client, keepEmptyMs = KEEP_EMPTY_MS } = context;
    const clock = new HybridClock(runtime);
    const history = new HeadHistory();
    const note = ({ timeMs }: { readonly timeMs: number }): void => history.note(runtime.now(), timeMs);
    const time = new TimeKeeper(new EtcdHeadStore(driver, keys.head), clock, client, note);
    this.clock = clock;
    this.#keys = keys;
    this.#driver = driver;
    this.#runtime = runtime;
    this.#time = time;
    let births = 0;
    const nextBirth = (): string => `${client}${++births}`;
    const recordTime = (): number => recordTimeMs(runtime);
    const groupRepair = new GroupRepair({ driver, keys, clock, runtime, nextBirth, keepEmptyMs });
    this.#groupRepair = groupRepair;
    this.#sweeper = new Sweeper(driver, keys, clock, history, runtime);
    this.#writer = new LedgerWriter({
      ...{ runtime, clock, timeoutMs, mostCalls: MOST_CALLS, mostChanges: MOST_CHANGES },
      begin: (calls, stale) =>
        new EtcdBatch({ driver, keys, clock, time, groupRepair, nextBirth, keepEmptyMs, recordTime }, calls, stale),
    });
  }

  get isIdle(): boolean {
    return this.#members.size === 0;
  }

  async register(request: Registration, over: AbortSignal): Promise<View> {
    const { incarnation, seq, staleAfterMs } = request;
    const known = this.#members.get(incarnation) ?? { memory: new MemberMemory(staleAfterMs), lease: undefined };
    this.#members.set(incarnation, known);
    const overtaken = known.memory.overtakes(seq);
    const sentMs = this.#runtime.now();
    const lease = await this.#grant(staleAfterMs);
    const call: EtcdCall = { kind: "register", ref: request, request, overtaken, lease, record: "news" };
    return this.#writeAlive(call, [], overtaken ? undefined : known, sentMs, over);
  }

  async sync(ref: MemberRef, request: Report, over: AbortSignal): Promise<View> {
    const known = this.#members.get(ref.incarnation) ?? (await this.#recall(ref.incarnation));
    const overtaken = known?.memory.overtakes(request.seq) ?? false;
    // A fenced member's requests do not keep it alive.
    const beating = overtaken || known?.memory.isFenced ? undefined : known;
    const sentMs = this.#runtime.now();
    const [alive, head, stale, limit] = await Promise.all([
      beating?.lease ? this.#driver.keepAlive(beating.lease.id) : false,
      this.#time.read(),
      this.#sweep(),
      request.stored ? this.#readLimit() : undefined,
    ]);
    const isCurrent = !request.stored || isLimitCurrent(limit, known?.memory.copied);
    const forItsLevel = beating?.memory.isLevelDue(request, this.clock.now()) ?? false;
    const isDoubted = this.#groupRepair.isDoubted || !isCurrent;
    if (beating && alive && head && stale.length === 0 && !forItsLevel && !isDoubted) {
      const again = beating.memory.repeat(request, head, this.clock.now());
      if (again && (await this.#staysAlive(beating, sentMs))) return again;
    }
    const lease = beating && (await this.#leaseOf(beating, alive, sentMs));
    const record = lease?.toAttach || !isCurrent ? "needed" : forItsLevel ? "wanted" : "news";
    return this.#writeAlive({ kind: "sync", ref, request, overtaken, lease, record }, stale, beating, sentMs, over);
  }

  async deregister(ref: MemberRef, request: Farewell, over: AbortSignal): Promise<void> {
    this.#members.delete(ref.incarnation);
    await this.#write({ kind: "deregister", ref, request, overtaken: false, record: "news" }, [], over);
  }

  inspect(group: string): Promise<GroupSnapshot> {
    const [driver, keys, clock, time, sweeper] = [this.#driver, this.#keys, this.clock, this.#time, this.#sweeper];
    return inspectGroup({ driver, keys, clock, time, sweeper }, group);
  }

  /** Looks through all keys of the group and mends it: see {@link GroupRepair}. */
  repair(reset: boolean): Promise<RepairReport> {
    return this.#groupRepair.repair(reset);
  }

  /** A member that registered through another client, if it is in the ledger. */
  async #recall(incarnation: string): Promise<KnownMember | undefined> {
    const key = this.#keys.memberOf(incarnation);
    const entry = (await this.#driver.read([key])).get(key);
    const present = this.#members.get(incarnation);
    if (present || !entry) return present;
    const stored = this.#doubting(() => decodeStoredMember(key, entry.value));
    if (!stored) return undefined;
    const { row, lease: id, leaseMs: ttlMs } = stored;
    const memory = new MemberMemory(row.staleAfterMs);
    memory.recall(row);
    const recalled = { memory, lease: { id, ttlMs } };
    this.#members.set(incarnation, recalled);
    return recalled;
  }

  async #readLimit(): Promise<ReadLimit | undefined> {
    const entry = (await this.#driver.read([this.#keys.limit])).get(this.#keys.limit);
    return entry && limitIn(entry.value, recordTimeMs(this.#runtime));
  }

  async #sweep(): Promise<readonly string[]> {
    const { head, isKeeper } = this.#time;
    if (!head || !isKeeper || !this.#sweeper.isDue(head)) return [];
    // Once in a stale age the keeper looks whether all is well, for changes of membership that may come.
    if (this.#groupRepair.isDue(head.staleAfterMs)) await this.#groupRepair.mend();
    try {
      return await this.#sweeper.sweep(head);
    } catch (error) {
      if (!(error instanceof DamagedData)) throw error;
      this.#groupRepair.doubt();
      return [];
    }
  }

  /** What cannot be read is mended with the next write. */
  #doubting<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof DamagedData)) throw error;
      this.#groupRepair.doubt();
      return undefined;
    }
  }

  /** The lease that the member has, where that is alive; otherwise a new one. */
  async #leaseOf({ lease, memory }: KnownMember, alive: boolean, sentMs: number): Promise<CallLease> {
    return alive && lease
      ? new CallLease(this.#driver, this.#runtime, lease, false, sentMs)
      : this.#grant(memory.staleAfterMs);
  }

  /**
   * Half the stale age; the other half is for the observer to see. etcd counts in whole seconds, and gives two at
   * least.
   */
  async #grant(staleAfterMs: number): Promise<CallLease> {
    const sentMs = this.#runtime.now();
    const lease = await this.#driver.grantLease(Math.max(1, Math.floor(staleAfterMs / 2_000)));
    return new CallLease(this.#driver, this.#runtime, lease, true, sentMs);
  }

  async #write(call: EtcdCall, stale: readonly string[], over: AbortSignal): Promise<View | undefined> {
    const written = await this.#writer.write(call, stale, () => over.aborted);
    this.#remember(call, written);
    if ("error" in written.outcome) throw written.outcome.error;
    return written.outcome.view;
  }

  #remember({ ref, kind, record }: EtcdCall, { outcome, table, recorded }: Written<RowTable>): void {
    if (kind === "deregister") return;
    const known = this.#members.get(ref.incarnation);
    const [group, stored] = [table.group(), table.stored(ref.incarnation)];
    if (!stored) {
      this.#members.delete(ref.incarnation);
      // Nothing is left to be kept alive: the answer says that the member is gone.
      if (known) known.lease = undefined;
    }
    if (!known || !group || !stored || "error" in outcome || !outcome.view) return;
    known.memory.remember(
      { view: outcome.view, birth: table.birth, group, member: stored.row },
      recorded,
      record === "wanted",
    );
    known.lease = stored.lease === "" ? undefined : { id: stored.lease, ttlMs: stored.leaseMs };
  }

  /**
   * Writes a call of a member that is alive. Where its lease has ended meanwhile, the call is written again with
   * another one: a request may be repeated (R11), and the answer to the repetition is the one that counts, since the
   * member may have been removed in between.
   *
   * @param known the member, when the call keeps it alive
   */
  async #writeAlive(
    call: EtcdCall,
    stale: readonly string[],
    known: KnownMember | undefined,
    sentMs: number,
    over: AbortSignal,
  ): Promise<View> {
    let view = await this.#write(call, stale, over);
    for (let aliveMs = sentMs; known && !(await this.#staysAlive(known, aliveMs)); ) {
      // A member that has left must not come back.
      if (over.aborted || this.#members.get(call.ref.incarnation) !== known)
        throw new DtError("DT_STORE_UNAVAILABLE", "the member's lease ended while the call was under way", {
          effect: "unknown",
        });
      aliveMs = this.#runtime.now();
      const lease = await this.#grant(known.memory.staleAfterMs);
      view = await this.#write({ ...call, lease, record: "needed" }, [], over);
    }
    return view as View;
  }

  /**
   * Keeps a lease alive once more when the call has taken long: whoever removes the member later goes by the group time
   * that was recorded when its lease was kept alive last (see {@link Sweeper}). False when the lease has ended.
   */
  async #staysAlive({ lease }: KnownMember, sentMs: number): Promise<boolean> {
    const { head } = this.#time;
    if (!lease || !head || this.#runtime.now() - sentMs <= slackMs(head)) return true;
    return this.#driver.keepAlive(lease.id);
  }
}
