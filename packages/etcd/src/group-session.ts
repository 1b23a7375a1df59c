import type { Farewell, GroupSnapshot, MemberRef, MemberView, Registration, Report, Runtime, View } from "@dt/core";
import { DtError } from "@dt/core";
import { bringsNews, type GroupRow, HybridClock, type MemberRow } from "@dt/core/ledger";
import type { LedgerCall } from "./calls.ts";
import type { Driver, Lease } from "./driver.ts";
import { type Head, slackMs } from "./head.ts";
import { inspectGroup } from "./inspect.ts";
import type { GroupKeys } from "./keys.ts";
import { LedgerWriter, type Written } from "./ledger-writer.ts";
import { decodeStoredMember } from "./stored.ts";
import { Sweeper } from "./sweeper.ts";
import { TimeKeeper } from "./time-keeper.ts";

/** What this client knows of a member that it speaks for. */
interface KnownMember {
  /** The greatest `seq` that was seen; those of mere heartbeats are remembered nowhere else. */
  seq: number;
  /** The lease that its sign of life is bound to. */
  lease: Lease | undefined;
  staleAfterMs: number;
  /** The last answer from the ledger, with the rows that it came from. */
  answer: { readonly view: View; readonly group: GroupRow; readonly member: MemberRow } | undefined;
  /** The level that is recorded, and the group time at which a report was recorded for its sake. */
  level: number | null;
  levelAtMs: number;
}

/** What a session works with. */
export interface SessionContext {
  readonly driver: Driver;
  readonly runtime: Runtime;
  readonly timeoutMs: number;
  /** Tells this client from all others. */
  readonly client: string;
}

/** One group as this client takes part in it. */
export class GroupSession {
  readonly clock: HybridClock;
  readonly #keys: GroupKeys;
  readonly #driver: Driver;
  readonly #runtime: Runtime;
  readonly #time: TimeKeeper;
  readonly #sweeper: Sweeper;
  readonly #writer: LedgerWriter;
  readonly #members = new Map<string, KnownMember>();

  constructor(keys: GroupKeys, { driver, runtime, timeoutMs, client }: SessionContext) {
    this.clock = new HybridClock(runtime);
    this.#keys = keys;
    this.#driver = driver;
    this.#runtime = runtime;
    this.#time = new TimeKeeper(driver, keys, this.clock, runtime, client);
    this.#sweeper = new Sweeper(driver, keys, this.clock, this.#time.history, runtime);
    this.#writer = new LedgerWriter(driver, { keys, clock: this.clock, time: this.#time }, runtime, timeoutMs);
  }

  /** True when this client speaks for no member of the group. */
  get isIdle(): boolean {
    return this.#members.size === 0;
  }

  async register(request: Registration, signal: AbortSignal): Promise<View> {
    this.#observe(request.observedMs);
    const { incarnation, seq, staleAfterMs } = request;
    const known = this.#members.get(incarnation) ?? newlyKnown(staleAfterMs);
    this.#members.set(incarnation, known);
    const overtaken = this.#overtaken(known, seq);
    const sentMs = this.#runtime.now();
    const lease = await this.#grant(staleAfterMs);
    const call: LedgerCall = { kind: "register", ref: request, request, overtaken, lease, insists: false };
    const view = await this.#write(call, [], signal);
    if (!overtaken) await this.#stayAlive(known, sentMs);
    return view as View;
  }

  async sync(ref: MemberRef, request: Report, signal: AbortSignal): Promise<View> {
    this.#observe(request.observedMs);
    const known = this.#members.get(ref.incarnation) ?? (await this.#recall(ref.incarnation));
    const overtaken = known !== undefined && this.#overtaken(known, request.seq);
    // A fenced member's requests do not keep it alive.
    const beating = overtaken || known?.answer?.member.standing === "fenced" ? undefined : known;
    const sentMs = this.#runtime.now();
    const [alive, head, stale] = await Promise.all([
      beating?.lease ? this.#driver.keepAlive(beating.lease.id) : false,
      this.#time.read(),
      this.#sweep(),
    ]);
    const insists = beating !== undefined && this.#isLevelDue(beating, request);
    const remembered =
      alive && head && stale.length === 0 && !insists ? this.#repeatAnswer(beating, request, head) : undefined;
    if (remembered) {
      await this.#stayAlive(beating, sentMs);
      return remembered;
    }
    const lease = beating && !alive ? await this.#grant(beating.staleAfterMs) : undefined;
    const view = await this.#write({ kind: "sync", ref, request, overtaken, lease, insists }, stale, signal);
    await this.#stayAlive(beating, sentMs);
    return view as View;
  }

  async deregister(ref: MemberRef, request: Farewell, signal: AbortSignal): Promise<void> {
    this.#observe(request.observedMs);
    this.#members.delete(ref.incarnation);
    const call: LedgerCall = { kind: "deregister", ref, request, overtaken: false, lease: undefined, insists: false };
    await this.#write(call, [], signal);
  }

  inspect(group: string): Promise<GroupSnapshot> {
    const context = {
      driver: this.#driver,
      keys: this.#keys,
      clock: this.clock,
      time: this.#time,
      sweeper: this.#sweeper,
    };
    return inspectGroup(context, group);
  }

  /** Group time is at least what a member was answered before; nothing is known from a newcomer's 0. */
  #observe(observedMs: number | undefined): void {
    if (observedMs !== undefined && observedMs > 0) this.clock.observe(observedMs);
  }

  #overtaken(known: KnownMember, seq: number): boolean {
    const overtaken = seq <= known.seq;
    known.seq = Math.max(known.seq, seq);
    return overtaken;
  }

  /** A member that registered through another client, if it is in the ledger. */
  async #recall(incarnation: string): Promise<KnownMember | undefined> {
    const key = this.#keys.memberOf(incarnation);
    const entry = (await this.#driver.read([key])).get(key);
    const present = this.#members.get(incarnation);
    if (present || !entry) return present;
    const { row, lease, leaseMs } = decodeStoredMember(key, entry.value);
    const recalled = newlyKnown(row.staleAfterMs);
    recalled.seq = row.seq;
    recalled.level = row.level;
    recalled.lease = { id: lease, ttlMs: leaseMs };
    this.#members.set(incarnation, recalled);
    return recalled;
  }

  async #sweep(): Promise<readonly string[]> {
    const { head, isKeeper } = this.#time;
    return head && isKeeper && this.#sweeper.isDue(head) ? this.#sweeper.sweep(head) : [];
  }

  /** Half the stale age; the other half is for the observer to see. etcd counts in whole seconds, and gives two at least. */
  #grant(staleAfterMs: number): Promise<Lease> {
    return this.#driver.grantLease(Math.max(1, Math.floor(staleAfterMs / 2_000)));
  }

  async #write(call: LedgerCall, stale: readonly string[], signal: AbortSignal): Promise<View | undefined> {
    const written = await this.#writer.write(call, stale, () => signal.aborted);
    this.#remember(call, written);
    if ("error" in written.outcome) throw written.outcome.error;
    return written.outcome.view;
  }

  #remember({ ref, kind, insists }: LedgerCall, { outcome, table, recorded }: Written): void {
    if (kind === "deregister") return;
    const known = this.#members.get(ref.incarnation);
    const [group, stored] = [table.group(), table.stored(ref.incarnation)];
    if (!stored) this.#members.delete(ref.incarnation);
    if (!known || !group || !stored || "error" in outcome || !outcome.view) return;
    known.answer = { view: outcome.view, group, member: stored.row };
    known.staleAfterMs = stored.row.staleAfterMs;
    known.lease = stored.lease === "" ? undefined : { id: stored.lease, ttlMs: stored.leaseMs };
    if (recorded) known.level = stored.row.level;
    if (insists) known.levelAtMs = this.clock.now();
  }

  /** The last answer again, at the time that it is now; undefined when the ledger has something new to say or to hear. */
  #repeatAnswer(known: KnownMember | undefined, report: Report, head: Head): MemberView | undefined {
    if (!known?.answer) return undefined;
    const { view, group, member } = known.answer;
    if (view.status !== "agree" || !head.agreed || head.generation !== view.generation) return undefined;
    if (bringsNews(group, member, report)) return undefined;
    const storeTimeMs = this.clock.now();
    return { ...view, storeTimeMs, groupAgeMs: storeTimeMs - group.createdAtMs, resumeLevel: null };
  }

  /** A level is recorded for the case that its member crashes: the first one at once, later ones twice in a stale age. */
  #isLevelDue({ answer, level, levelAtMs, staleAfterMs }: KnownMember, report: Report): boolean {
    if (!answer || answer.member.resumeWithinMs === 0 || level === report.level) return false;
    return this.clock.now() - levelAtMs >= staleAfterMs / 2;
  }

  /**
   * Keeps a lease alive once more when the call has taken long: whoever removes the member later goes by the group time that was recorded
   * when its lease was kept alive last (see {@link Sweeper}).
   */
  async #stayAlive(known: KnownMember | undefined, sentMs: number): Promise<void> {
    const { head } = this.#time;
    if (!known?.lease || !head || this.#runtime.now() - sentMs <= slackMs(head)) return;
    if (await this.#driver.keepAlive(known.lease.id)) return;
    throw new DtError("DT_STORE_UNAVAILABLE", "the member's lease ended while the call was under way", {
      outcome: "unknown",
    });
  }
}

function newlyKnown(staleAfterMs: number): KnownMember {
  return {
    seq: 0,
    lease: undefined,
    staleAfterMs,
    answer: undefined,
    level: null,
    levelAtMs: Number.NEGATIVE_INFINITY,
  };
}
