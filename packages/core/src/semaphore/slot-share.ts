import type { MemberView } from "../contract/coordination-store.ts";
import type { DemandView, SlotAsk, SlotOffer } from "../contract/demand.ts";
import { needOf } from "../ledger/water-level.ts";
import type { SlotReport, SlotShareOptions, SlotShareState } from "./slot-share-state.ts";
import { SlotWant } from "./slot-want.ts";

/** How long an idle slot is kept while slots are scarce, in milliseconds: a report for each release costs more. */
export const LINGER_MS = 50;

/** What an answer is taken for that says nothing of demand. */
const NO_DEMAND: DemandView = { waterLevel: 0, reserve: 0, extra: 0, odd: false, tight: true, hungry: false };

/**
 * The slots of this process: what it holds, what of that may be in use, and what it gives up. Pure: time is passed in.
 *
 * That no more than `max` calls run over the fleet rests on three rules. No call begins beyond what is held. A report
 * lowers what is held when it is sent, and never below what runs. What runs is claimed, valid or not.
 */
export class SlotShare {
  /** The limit in force: the code's or, where it lives in the store, that of the last answer. */
  max: number;
  /** The limit of the code. */
  code: number;
  /** Slots on record for this member, or fewer: those of the last answer, less what was reported since. */
  held = 0;
  inUse = 0;
  /** Slots that callers wait for. */
  waiting = 0;
  /** The most slots in use by this process, whatever it holds. */
  cap: number = Number.POSITIVE_INFINITY;
  /** Local time until which the share may be used. */
  validUntilMs: number = Number.NEGATIVE_INFINITY;
  /** Local time before which no call begins: the fleet is paused (R35). */
  pausedUntilMs: number = Number.NEGATIVE_INFINITY;
  /** True while the store counts this process as a member. */
  isMember = false;
  /** True once no call may begin any more: what is held is given back as calls end. */
  isClosed = false;
  /** True while more is held in the fleet than there is: no call begins. */
  over = false;
  capacity = 0;
  members = 0;
  /** True where another member waits in the store's queue. */
  isWanted = false;
  /** Since when slots lie idle that others may want, as far as was looked. */
  idleSinceMs: number | undefined;
  readonly #options: SlotShareOptions;
  readonly #want = new SlotWant(LINGER_MS);
  #demand: DemandView = NO_DEMAND;
  /** The most that may be in use by the last answer: less than is held while more is held than there is. */
  #usable = 0;
  /** Slots that others need: to be given up with the next releases. */
  #asked = 0;
  /** True where a hint said that others lack slots. */
  #wasAsked = false;
  /** The water level of that hint. */
  #hintedLevel = Number.POSITIVE_INFINITY;
  /** The offer that was accepted last: it may come before the answer that it follows. */
  #offered: { readonly seq: number; readonly held: number } | undefined;
  /**
   * True where slots were claimed that others may have been given: of a share that had ended, or while more was held
   * than there is. No call begins until the store knows of all that is held: a group that learns does not, and a store
   * without a queue does not say so, but raises only by what is free.
   */
  #isUnsure = false;
  /** Since when it has held as much. */
  #turnSinceMs = 0;

  constructor(options: SlotShareOptions) {
    this.#options = options;
    this.max = options.max;
    this.code = options.max;
  }

  /** Everything that is known, to be kept and put back with {@link restore}. */
  get state(): SlotShareState {
    const { max, code, held, inUse, waiting, cap, validUntilMs, isMember, isClosed, over, capacity, members } = this;
    return {
      ...{ max, code, held, inUse, waiting, cap, validUntilMs, isMember, isClosed, over, capacity, members },
      pausedUntilMs: this.pausedUntilMs,
      isWanted: this.isWanted,
      idleSinceMs: this.idleSinceMs,
      want: this.#want.state,
      demand: this.#demand,
      usable: this.#usable,
      asked: this.#asked,
      wasAsked: this.#wasAsked,
      hintedLevel: this.#hintedLevel,
      offered: this.#offered,
      isUnsure: this.#isUnsure,
      turnSinceMs: this.#turnSinceMs,
    };
  }

  restore({
    want,
    demand,
    usable,
    asked,
    wasAsked,
    hintedLevel,
    offered,
    isUnsure,
    turnSinceMs,
    ...rest
  }: SlotShareState): void {
    Object.assign(this, rest);
    this.#want.restore(want);
    this.#demand = demand;
    this.#usable = usable;
    this.#asked = asked;
    this.#wasAsked = wasAsked;
    this.#hintedLevel = hintedLevel;
    this.#offered = offered;
    this.#isUnsure = isUnsure;
    this.#turnSinceMs = turnSinceMs;
  }

  /** The most slots that a member is due, by the last answer or hint. */
  get waterLevel(): number {
    return this.#demand.waterLevel;
  }

  /** What a member is sure to get at any time. All of `max` before the first answer. */
  get guaranteed(): number {
    return this.members === 0 ? this.max : Math.max(1, Math.floor(this.capacity / this.members));
  }

  /** The most that a call may cost: beyond what is sure only where the store gives costly callers a turn (R34). */
  get mostCost(): number {
    return this.#options.hasQueue ? this.max : this.guaranteed;
  }

  /**
   * Slots that callers wait for who may get them: none while the first one, which is not passed, waits for more than
   * may be in use here. The fleet would gather slots for it in vain.
   */
  get awaited(): number {
    if (this.waiting === 0) return 0;
    const most = Math.min(this.max, this.cap, this.members === 0 ? this.max : this.capacity);
    return this.#options.head() > most ? 0 : this.waiting;
  }

  isValid(nowMs: number): boolean {
    return nowMs < this.validUntilMs;
  }

  /** Slots in use and waited for have changed, or were asked for in vain. */
  note(nowMs: number, missed = 0): void {
    const slots = this.inUse + this.awaited;
    this.#want.note(nowMs, slots + missed);
    if (this.held <= slots) this.idleSinceMs = undefined;
  }

  /** What may be in use at this instant: no call begins beyond it. */
  usable(nowMs: number): number {
    return nowMs < this.pausedUntilMs ? 0 : Math.min(this.max, this.cap, this.#allowed(nowMs));
  }

  /** True where a report would lower what is held: something is to be given up. */
  gives(nowMs: number): boolean {
    return this.#allowed(nowMs) < this.held && this.#reported(nowMs) < this.held;
  }

  /** True where slots lie idle that others may want. */
  isIdle(): boolean {
    const isWanted = this.isWanted || this.isTight;
    return this.isMember && isWanted && this.held > this.inUse + this.awaited;
  }

  /** True where another member is known to wait for a slot. */
  get isAsked(): boolean {
    return this.isWanted || this.#wasAsked;
  }

  /** Slots lay idle for long enough; true where some of them are to be given up. */
  forgetIdle(nowMs: number): boolean {
    this.#want.forget(nowMs, this.inUse + this.awaited);
    return this.held > Math.max(this.inUse, this.due(nowMs));
  }

  /** The slots that this process wants, of late; never more than its cap, but what is in use. */
  want(nowMs: number): number {
    const want = this.#want.at(nowMs, this.inUse + this.awaited, this.isTight);
    return Math.max(this.inUse, Math.min(want, this.cap));
  }

  /** What it should hold by its want and what it knows of the others'. */
  due(nowMs: number): number {
    const { waterLevel, reserve, extra } = this.#demand;
    const level = Math.min(waterLevel, this.#hintedLevel);
    return needOf({ waterLevel: level, reserve }, this.want(nowMs)) + (this.#wasAsked ? 0 : extra);
  }

  /** A report is sent: from now on no more is held than it says. */
  report(nowMs: number): number {
    this.held = this.#reported(nowMs);
    return this.held;
  }

  /** A registration is sent: what is validly held is claimed, and what runs in any case. */
  claim(nowMs: number): number {
    if (!this.isValid(nowMs)) {
      this.held = this.inUse;
      this.#isUnsure = this.held > 0;
    } else if (this.over || this.#usable < this.held) this.#isUnsure = true;
    return this.held;
  }

  /**
   * The new limit of the code. Where it is lower than the group's, no call begins until the store has answered to it.
   * Where the limit lives in the store, the code's counts for nothing once the store has answered.
   */
  update(max: number): void {
    this.code = max;
    if (this.#options.stored && this.members > 0) return;
    if (max < Math.min(this.max, this.capacity)) this.over = true;
    this.max = max;
  }

  /**
   * An answer to the newest request, which came in time. True where more is held than before.
   * @param report what that request said
   */
  accept(view: MemberView, report: SlotReport, nowMs: number): boolean {
    const before = this.held;
    if (this.#options.stored) this.max = view.capacity;
    this.#isUnsure &&= this.#options.hasQueue ? view.learning : view.held <= report.held;
    this.over = this.#isOver(view, report) || this.#isUnsure;
    this.isMember = true;
    this.capacity = view.capacity;
    this.members = view.members;
    this.#demand = view.demand ?? NO_DEMAND;
    this.isWanted = view.demand?.slots?.wanted ?? false;
    this.#asked = 0;
    this.#wasAsked = false;
    this.#hintedLevel = Number.POSITIVE_INFINITY;
    // A member that is to leave takes no more than runs, though the store may give what lies idle.
    this.held = this.isClosed ? Math.min(view.held, this.inUse) : view.held;
    const offered = this.#offered;
    if (!this.isClosed && offered?.seq === report.seq && offered.held > this.held && !this.over)
      this.held = offered.held;
    this.#usable = view.entitled + this.held - view.held;
    const rose = this.held > before;
    if (rose) this.#turnSinceMs = nowMs;
    return rose;
  }

  /** The store does not count this process as a member. */
  leftOut(): void {
    this.isMember = false;
  }

  /**
   * The store has raised this member, on record, after its request `seq`. Any later request may have lowered the record
   * again, so that the raise counts only if there was none. True where more is held now.
   * @param seq the last request that was sent
   */
  offer({ held, seq: seen, waterLevel, wanted }: SlotOffer, seq: number, nowMs: number): boolean {
    if (!this.isMember || this.isClosed || seen !== seq || held <= this.held || this.over || !this.isValid(nowMs))
      return false;
    // No store offers more than there is: a stranger did.
    if (held > this.capacity || waterLevel > this.capacity) return false;
    this.#offered = { seq, held };
    this.isWanted = wanted;
    this.#demand = { ...this.#demand, waterLevel };
    this.#hintedLevel = Number.POSITIVE_INFINITY;
    this.#usable += held - this.held;
    this.held = held;
    this.#turnSinceMs = nowMs;
    return true;
  }

  /** True where the last offer that counted came after the request `seq`, the last one that was sent. */
  tookOffer(seq: number): boolean {
    return this.#offered?.seq === seq;
  }

  /** Another member lacks slots: some are given up with the next releases, or once their turn is over. */
  ask({ give, waterLevel }: SlotAsk): void {
    this.#wasAsked = true;
    this.#hintedLevel = waterLevel;
    this.#asked = Math.max(this.#asked, give);
  }

  /** What is held less what is to be given up; 0 where no call may begin. */
  #allowed(nowMs: number): number {
    if (this.isClosed || !this.isMember || this.over || !this.isValid(nowMs)) return 0;
    const most = Math.min(this.held, this.#usable);
    const isHungry = this.#demand.hungry && !(this.#options.hasQueue && this.#options.isPushed());
    if (this.#asked === 0 && !isHungry && !this.#isScarce) return most;
    const due = this.due(nowMs);
    if (this.held <= due) return most;
    if (isHungry) return Math.min(most, due);
    if (this.#asked > 0) return Math.min(most, Math.max(due, this.held - this.#asked));
    return this.#isTurnOver(due, nowMs) ? Math.min(most, Math.max(due, this.held - 1)) : most;
  }

  /** What a report that is sent now says. */
  #reported(nowMs: number): number {
    return Math.max(this.inUse, Math.min(this.held, this.#kept(nowMs)));
  }

  /** What is worth keeping. */
  #kept(nowMs: number): number {
    if (this.isClosed || !this.isMember || this.over || !this.isValid(nowMs)) return 0;
    if (!this.isTight) return this.#usable;
    const due = this.due(nowMs);
    const hasTurn = this.#options.hasQueue || (this.#demand.odd && !this.#demand.hungry);
    const isInTurn = this.#asked === 0 && this.held > due && this.awaited > 0 && !this.#isTurnOver(due, nowMs);
    return Math.min(this.#usable, isInTurn && hasTurn ? due + 1 : due);
  }

  /** True where what it does not need is of use to others. */
  get isTight(): boolean {
    return this.#wasAsked || this.#demand.tight;
  }

  get #isScarce(): boolean {
    return this.#wasAsked || this.#demand.waterLevel < this.capacity;
  }

  #isTurnOver(due: number, nowMs: number): boolean {
    return this.#isScarce && this.held > due && nowMs - this.#turnSinceMs >= this.#options.turnMs();
  }

  /**
   * A store with a queue says so. One without does not: after a lower capacity nothing begins until it raises, since it
   * raises only by what is free. An answer to a request with the limit of before says nothing of a lower one.
   */
  #isOver(view: MemberView, report: SlotReport): boolean {
    const isOlder = this.over && !this.#options.stored && report.max > this.max;
    if (this.#options.hasQueue) return isOlder || view.demand?.slots?.over === true;
    if (view.capacity < this.capacity) return true;
    const wasRaised = !report.isRegistration && view.held > report.held;
    return this.over && (isOlder || !wasRaised);
  }
}
