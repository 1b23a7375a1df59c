import { isDtError, type MemberView, type SlotOffer, type View } from "@dt/core";
import { firstSafeEpoch } from "@dt/core/ledger";
import type { Violation } from "../invariants.ts";
import { isMemberView } from "../member.ts";
import { ByEpoch } from "./by-epoch.ts";
import { claiming, entitledBy, keeping, keepingOf, type MemberUse, NOTHING_USED, offeredTo } from "./member-use.ts";
import type { Said } from "./said.ts";

/** A request that is under way. */
interface Sent {
  readonly said: Said;
  /** On the clock of the process. */
  readonly sentMs: number;
  /** The member as it was before. */
  readonly before: MemberUse | undefined;
  readonly isNew: boolean;
  /** The newest epoch that anybody may have begun, as far as is known. */
  readonly newest: number;
  readonly capacity: ByEpoch;
  /** The largest capacity that was in force since then. */
  largest: number;
  /** Whether there were other requests of the group at the same time, and of the same member. */
  isAmongOthers: boolean;
  isOverlapped: boolean;
  /** Tokens that others turned out to have in use meanwhile. */
  claimed: number;
}

/**
 * What all members of one group may use in each epoch. It is told from their requests and the answers, and from nothing
 * that the store says of its books: no answer may add to it beyond the capacity (R7, R20). What a member gives up
 * counts as such from when it is sent, and what it is given from when it is answered, so that it does not matter in
 * which order requests reach the store.
 */
export class GroupUse {
  /** How far what two clients are answered at one instant may lie apart. */
  readonly #spreadMs: number;
  readonly #now: () => number;
  readonly #members = new Map<string, MemberUse>();
  readonly #underWay = new Set<Sent>();
  /** The last request of each member that is no repeat. */
  readonly #last = new Map<string, Sent>();
  #capacity = new CapacityInForce();
  #total = ByEpoch.NONE;
  #intervalMs = 0;
  #clockErrorMs = 0;
  /** The group's time is at least this. */
  #knownMs = 0;
  /** The group's time is at most this more than the time of this process, as far as is known. */
  #aheadMs = Number.NEGATIVE_INFINITY;
  /** Up to this epoch somebody may have used what is on no record. */
  #unknownUntil = Number.NEGATIVE_INFINITY;

  /** @param now the time of this process, in milliseconds */
  constructor(spreadMs: number, now: () => number) {
    this.#spreadMs = spreadMs;
    this.#now = now;
  }

  /** Runs a request, and takes in what was said with it and what it was answered. */
  async watch<T extends View | undefined>(
    said: Said,
    request: () => Promise<T>,
    violated: (violation: Violation) => void,
  ): Promise<T> {
    const sent = this.#send(said);
    try {
      const view = await request();
      this.#underWay.delete(sent);
      const violation = view ? this.#answered(sent, view) : this.#left(sent);
      if (violation) violated(violation);
      return view;
    } catch (error) {
      this.#failed(sent, isDtError(error) && error.effect === "definite");
      throw error;
    } finally {
      this.#underWay.delete(sent);
    }
  }

  /**
   * An offer came to a member (R30). It counts only where the member has sent nothing since the request that it names:
   * then the member may use what it was offered, at once.
   */
  offered(incarnation: string, offer: SlotOffer): Violation | undefined {
    const member = this.#members.get(incarnation);
    const last = this.#last.get(incarnation);
    if (!member || !last || offer.seq < member.seq) return undefined;
    if (offer.seq > member.seq) {
      const summary = `an offer to ${incarnation} names its request ${offer.seq}, and its last one is ${member.seq}`;
      return { rule: "R30", summary };
    }
    if (!member.isMember) return undefined;
    // It may come before the answer to the request by which the store found that another member is stale.
    this.#endStale(this.#now() + this.#aheadMs);
    const after = offeredTo(member, offer, this.#newest(this.#knownMs) + 1);
    this.#put(incarnation, after);
    const total = this.#total.in(Number.POSITIVE_INFINITY);
    // What others were answered since that request may have happened before the offer or after it.
    const most = Math.max(last.largest, this.#capacity.byEpoch.in(Number.POSITIVE_INFINITY)) + last.claimed;
    if (total <= most || after.usable.in(Number.POSITIVE_INFINITY) === member.usable.in(Number.POSITIVE_INFINITY))
      return undefined;
    const summary = `${offer.held} slots are offered to ${incarnation}, so that all members together may use ${total} where the capacity is ${most}`;
    return { rule: "R30", summary };
  }

  #send(said: Said): Sent {
    const before = this.#members.get(said.incarnation);
    const isNew = said.seq > (before?.seq ?? 0);
    const newest = this.#newest(Math.max(this.#knownMs, said.observedMs), said.joins?.intervalMs);
    const others = [...this.#underWay];
    const ofTheSame = others.filter((other) => other.said.incarnation === said.incarnation);
    for (const other of others) other.isAmongOthers = true;
    for (const other of ofTheSame) other.isOverlapped = true;
    const capacity = this.#capacity.byEpoch;
    const among = { isAmongOthers: others.length > 0, isOverlapped: ofTheSame.length > 0 };
    const largest = capacity.in(Number.POSITIVE_INFINITY);
    const sent: Sent = {
      ...{ said, sentMs: this.#now(), before, isNew, newest, capacity, largest, claimed: 0 },
      ...among,
    };
    this.#underWay.add(sent);
    if (isNew) this.#last.set(said.incarnation, sent);
    if (before && isNew) this.#put(said.incarnation, lowered(before, said, newest));
    return sent;
  }

  /** It was not answered, and perhaps not done either. */
  #failed({ said: { incarnation }, before, isOverlapped }: Sent, isDefinite: boolean): void {
    const member = this.#members.get(incarnation);
    if (member && before) this.#put(incarnation, isDefinite && !isOverlapped ? before : { ...member, held: undefined });
  }

  /** A farewell was answered. */
  #left({ said: { incarnation } }: Sent): undefined {
    const member = this.#members.get(incarnation);
    if (member) this.#put(incarnation, { ...member, isMember: false });
  }

  #answered(sent: Sent, view: View): Violation | undefined {
    const { said, newest } = sent;
    if (!isMemberView(view)) {
      const member = this.#members.get(said.incarnation);
      if (member && view.status === "unknown")
        this.#put(said.incarnation, { ...keeping(member, 0, newest), isMember: false });
      return undefined;
    }
    this.#learn(sent, view);
    const member = this.#members.get(said.incarnation) ?? { ...NOTHING_USED, seq: said.seq };
    if (sent.isOverlapped) {
      this.#put(said.incarnation, { ...member, isMember: true, held: undefined });
      return undefined;
    }
    const before = said.joins ? this.#claim(sent, member) : member;
    const granted = { ...view, entitled: grantedBy(before, said, view) };
    const after = entitledBy(keeping(before, granted.entitled, this.#newest(view.storeTimeMs)), granted);
    const { staleAfterMs } = said.joins ?? before;
    const staleMs = sent.isNew ? view.storeTimeMs - this.#spreadMs + staleAfterMs : before.staleMs;
    this.#put(said.incarnation, { ...after, isMember: true, held: view.held, staleAfterMs, staleMs });
    return this.#startViolation(before, view) ?? this.#excess(sent, before.most, after.most, view);
  }

  /** What it claims is a fact, and what it used beyond that before the store forgot it is on no record. */
  #claim(sent: Sent, member: MemberUse): MemberUse {
    const { kept, joins } = sent.said;
    if (joins?.rejoin && !member.isMember) this.#unknownUntil = Math.max(this.#unknownUntil, sent.newest);
    for (const other of new Set([...this.#underWay, ...this.#last.values()])) other.claimed += kept;
    return claiming(member, kept);
  }

  #learn({ said: { joins }, sentMs }: Sent, view: MemberView): void {
    if (joins && joins.intervalMs !== this.#intervalMs) this.#begin(joins.intervalMs);
    if (this.#capacity.learn(view, joins !== undefined, this.#newest(this.#knownMs)))
      for (const last of this.#last.values()) last.largest = Math.max(last.largest, view.capacity);
    this.#clockErrorMs = view.clockErrorMs;
    this.#knownMs = Math.max(this.#knownMs, view.storeTimeMs - this.#spreadMs);
    this.#aheadMs = view.storeTimeMs + this.#spreadMs - sentMs;
    this.#endStale(view.storeTimeMs);
  }

  /** Members that are stale at this time of the store may use nothing more. */
  #endStale(storeMs: number): void {
    for (const [incarnation, { staleMs, usable }] of this.#members) {
      if (staleMs > storeMs || usable.in(Number.POSITIVE_INFINITY) === 0) continue;
      this.#put(incarnation, keeping(this.#members.get(incarnation) as MemberUse, 0, this.#newest(staleMs)));
    }
  }

  /** Epochs of another length have other numbers. */
  #begin(intervalMs: number): void {
    this.#members.clear();
    this.#last.clear();
    this.#capacity = new CapacityInForce();
    this.#total = ByEpoch.NONE;
    this.#intervalMs = intervalMs;
    this.#unknownUntil = Number.NEGATIVE_INFINITY;
  }

  #startViolation({ held }: MemberUse, view: MemberView): Violation | undefined {
    const { fromEpoch, storeTimeMs, clockErrorMs, early } = view;
    const first = firstSafeEpoch(storeTimeMs, clockErrorMs, this.#intervalMs);
    if (fromEpoch > first) {
      const summary = `fromEpoch is ${fromEpoch}, later than ${first}, the first epoch of ${this.#intervalMs} ms that begins later than ${storeTimeMs} + ${clockErrorMs} ms`;
      return { rule: "R20", summary };
    }
    const raised = Math.max(0, view.held - (held ?? 0));
    if (early <= raised) return undefined;
    return { rule: "R20", summary: `early is ${early} in an answer that raises what is held by ${raised}` };
  }

  /** An answer that lets its member use more of an epoch than is left of it. */
  #excess(sent: Sent, before: ByEpoch, after: ByEpoch, { capacity }: MemberView): Violation | undefined {
    const inForce = this.#capacity.byEpoch;
    for (const epoch of new Set([...before.edges, ...after.edges, ...this.#total.edges])) {
      const raised = after.in(epoch) - before.in(epoch);
      if (raised <= 0) continue;
      const given = `${raised} tokens more of epoch ${epoch} are given to ${sent.said.incarnation}`;
      if (epoch <= this.#unknownUntil)
        return { rule: "R20", summary: `${given}, in which one that joined again may have used what is on no record` };
      // What was answered meanwhile may have happened before or after.
      const most = sent.isAmongOthers
        ? Math.max(sent.capacity.in(epoch), inForce.in(epoch), capacity) + sent.claimed
        : inForce.in(epoch);
      const total = this.#total.in(epoch);
      if (total <= most) continue;
      const isForGood = this.#total.in(Number.POSITIVE_INFINITY) > inForce.in(Number.POSITIVE_INFINITY);
      const summary = `${given}, so that all members together may use ${total} of it where the capacity is ${most}`;
      return { rule: isForGood ? "R7" : "R20", summary };
    }
    return undefined;
  }

  #newest(timeMs: number, intervalMs = this.#intervalMs): number {
    return firstSafeEpoch(timeMs, this.#clockErrorMs, intervalMs) - 1;
  }

  #put(incarnation: string, member: MemberUse): void {
    const before = this.#members.get(incarnation)?.most ?? ByEpoch.NONE;
    this.#members.set(incarnation, member);
    const total = this.#total;
    if (before === member.most) return;
    this.#total = ByEpoch.of(
      [total, before, member.most],
      [],
      (epoch) => total.in(epoch) - before.in(epoch) + member.most.in(epoch),
    );
  }
}

/** What a member gives up counts as such from when it says so. */
function lowered(member: MemberUse, { seq, kept, use }: Said, newest: number): MemberUse {
  const held = member.held === undefined ? undefined : Math.min(member.held, kept);
  const after = use
    ? keepingOf(member, kept, { used: use.used, epoch: Math.min(use.epoch, newest) })
    : keeping(member, kept, newest);
  return { ...after, seq, held };
}

/**
 * What a member may use after an answer. One of a semaphore goes on with an offer that it took before it read the
 * answer to the request that the offer names (R30). While too much is held it goes on with what it has, and begins
 * nothing with what is new (R32).
 */
function grantedBy({ offer, usable }: MemberUse, { seq }: Said, { demand, held, entitled }: MemberView): number {
  if (!demand?.slots) return entitled;
  if (demand.slots.over) return Math.min(held, usable.in(Number.POSITIVE_INFINITY));
  return offer?.seq === seq ? Math.max(held, offer.held) : held;
}

/** A group's capacity in each epoch: a lower one counts from when it is heard of, a higher one from the next epoch. */
class CapacityInForce {
  byEpoch: ByEpoch = ByEpoch.NONE;
  #generation = 0;
  #capacity = 0;

  /**
   * Returns whether it is news.
   * @param newest the newest epoch that may have been begun when a generation was answered that is older than this
   */
  learn({ generation, capacity, members }: MemberView, isFirst: boolean, newest: number): boolean {
    if (generation <= this.#generation) return false;
    if (this.#generation === 0 || (isFirst && members === 1)) this.byEpoch = ByEpoch.constant(capacity);
    else if (capacity > this.#capacity) this.byEpoch = this.byEpoch.raised(capacity - this.#capacity, newest + 1);
    else this.byEpoch = this.byEpoch.lowered(capacity, Number.NEGATIVE_INFINITY);
    this.#generation = generation;
    this.#capacity = capacity;
    return true;
  }
}
