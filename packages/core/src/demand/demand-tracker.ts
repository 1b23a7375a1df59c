import type { MemberView } from "../contract/coordination-store.ts";
import type { Demand, DemandView } from "../contract/demand.ts";
import { MOST_TOKENS } from "../ledger/bounds.ts";
import { wantOnGrid } from "../ledger/wants.ts";
import { needOf } from "../ledger/water-level.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { Shortage } from "./shortage.ts";
import { WantEstimate } from "./want-estimate.ts";

/** What is asked of the throttle whose demand it is. */
export interface DemandHost {
  readonly runtime: Runtime;
  readonly intervalMs: number;
  readonly syncIntervalMs: number;
  /** True where a change of the ledger costs much: see `StoreCapabilities.demandMembers`. Default false. */
  readonly calm?: boolean;
  /** Tokens that are waited for. */
  waiting(): number;
  /** Tokens of the capacity that it takes to grant one: more than 1 while a ramp or a cap keeps the level down. */
  scale(): number;
  /** The level of the whole pool, where this member alone is capped at it. Default: it is not. */
  cappedAt?(): number | undefined;
  /** The most that may be in use, including raises still to start, in tokens of the capacity. */
  held(): number;
  /** Local time at which the epoch under way ends. */
  epochEndMs(): number;
  /** Makes the next report come after this time, if it is not due earlier anyway. */
  reportAfter(ms: number): void;
}

/**
 * So many answers in a row that somebody starves, and a member does not wait for the end of its turn: there may be more
 * odd tokens about than there are now, from when there were other members.
 */
const HUNGRY_ANSWERS = 3;
/** Between two reports of a member that starves. In a large group more, so that all together do not ask too often. */
const GAP_MS = 200;
const GAP_PER_MEMBER_MS = 0.2;
/** More than this part of the water level makes no difference to what a member is due. */
const MOST_OF_WATER_LEVEL = 1.5;
/** Who is calm keeps this part more than it is due while nobody got too little. Hunger is a sixteenth. */
const CALM_PART = 32;
/**
 * So long after others could have used more, a capped member wants no more than its even part of the cap. If all are
 * capped alike, they would otherwise be short of tokens again as soon as each wanted more.
 */
const FRUGAL_MS = 10_000;
/** Of the capacity: together with what is kept for the idle less than all, on the grid of wants as well. */
const NEARLY_ALL = 0.9;
/**
 * A report that is to come late in an epoch comes in this part of it, counted from its end: most of what is given back
 * in the epoch has been given back, and there is time for a round trip or two. In a stretch, so that members do not
 * all ask at the same time.
 */
const LATE_FROM_PART = 1 / 4;
const LATE_PART = 1 / 16;
/** A move of less than this part of what is held is not worth a report of its own. */
const MUCH_PART = 8;
/** The part of an interval after which a member that starves looks again whether it has less than its part. */
const LOOK_AGAIN_PART = 1 / 8;

/**
 * What one member wants of a limit that follows demand, what it gives up, and when it asks before its time
 * (docs/protocol.md, "Shares that follow demand"). Without I/O. Nothing here can break the limit: it only ever lowers
 * what is held.
 */
export class DemandTracker {
  /**
   * Local time until which a call that gets its one token at once only has to be counted, in {@link singles}: no caller
   * waits, and no turn ends with it. Reporting each call by {@link asked} would cost a grant a sixth of its time, and
   * memory for the time that is handed over.
   */
  countsUntilMs: number = Number.NEGATIVE_INFINITY;
  /** Calls that were only counted. */
  singles: number = 0;
  readonly #host: DemandHost;
  readonly #estimate: WantEstimate;
  readonly #shortage: Shortage;
  #view: DemandView | undefined;
  #declared: Demand | undefined;
  #capacity = 0;
  #members = 1;
  /** Until when a capped one leaves to others what these could use. */
  #frugalUntilMs = 0;
  #told = 0;
  #starved = false;
  /** True when somebody had to wait since the last report, rather than being refused. */
  #waited = false;
  /** True when those that were not served at once waited, the last time that there were some. */
  #patient = false;
  /** True when they were refused. */
  #refused = false;
  /** Tokens granted since an odd token came. */
  #grantedSince = 0;
  /** So many, and its turn is over; `Infinity` without an odd token. */
  #turnTokens = Number.POSITIVE_INFINITY;
  #reportedMs = Number.NEGATIVE_INFINITY;
  #gapMs = GAP_MS;
  /** Gaps are doubled this often, since the reports they led to brought nothing. */
  #fruitless = 0;
  /** Answers in a row that said that somebody starves. */
  #hungry = 0;
  /** True while a report is on its way before its time, because too little is held. */
  #prompted = false;
  #lookAgainMs = 0;

  constructor(host: DemandHost) {
    this.#host = host;
    this.#estimate = new WantEstimate(host.intervalMs, host.calm);
    this.#shortage = new Shortage(host.intervalMs, host.syncIntervalMs);
  }

  /** The want that was told last, in tokens of the capacity per epoch. */
  get told(): number {
    return this.#told;
  }

  /** The most that a member gets where tokens are scarce, otherwise all; 0 before the first answer. */
  get waterLevel(): number {
    return this.#view?.waterLevel ?? 0;
  }

  /** Tokens were asked for, and so many of them granted at once. */
  asked(tokens: number, granted: number, nowMs: number): void {
    this.#takeSingles();
    this.#estimate.add(tokens, nowMs);
    this.#grant(granted, nowMs);
    if (granted < tokens) this.#starve(nowMs);
    else this.#shortage.end(nowMs);
    const isPlain = !this.#shortage.isNow && this.#turnTokens === Number.POSITIVE_INFINITY;
    if (isPlain) this.countsUntilMs = this.#estimate.slotEndMs;
  }

  /** Takes in the calls that were only counted: before anything else is counted, or made of the counts. */
  #takeSingles(): void {
    this.countsUntilMs = Number.NEGATIVE_INFINITY;
    if (this.singles === 0) return;
    this.#estimate.addSingles(this.singles);
    this.#grantedSince += this.singles;
    this.singles = 0;
  }

  /** So many tokens are needed, besides those that were asked for. */
  needed(tokens: number, nowMs: number): void {
    this.#takeSingles();
    this.#estimate.add(tokens, nowMs);
  }

  /** Tokens were granted to somebody who waited for them. */
  served(tokens: number, nowMs: number): void {
    this.#takeSingles();
    this.#grant(tokens, nowMs);
    this.#shortage.end(nowMs);
  }

  /** The last caller that waited was served or gave up: what was wanted for it alone is for others, if they lack it. */
  emptied(nowMs: number): void {
    this.#takeSingles();
    this.#shortage.end(nowMs);
    if (this.#view?.tight && this.#estimate.isLess(this.#host.scale())) this.#reportSoon(nowMs);
  }

  /** Somebody waits. */
  starve(nowMs: number): void {
    this.#takeSingles();
    this.#waited = true;
    this.#shortage.begin(nowMs);
    this.#starve(nowMs);
  }

  /** What is said with a report that is sent now. */
  declare(): Demand {
    this.#takeSingles();
    const { runtime, syncIntervalMs, waiting, scale } = this.#host;
    const nowMs = runtime.now();
    const view = this.#view;
    const most = view ? MOST_OF_WATER_LEVEL * view.waterLevel + 1 : Number.POSITIVE_INFINITY;
    const queued = waiting();
    if (this.#starved || queued > 0) {
      this.#patient = this.#waited || queued > 0;
      this.#refused = !this.#patient;
    }
    const short = this.#shortage.isLasting(nowMs);
    const hints = {
      waiting: queued,
      starved: this.#starved,
      patient: this.#patient,
      refused: this.#refused,
      short,
      tight: view?.tight ?? false,
      most,
    };
    this.#told = Math.min(this.#estimate.next(nowMs, hints, scale()), wantOnGrid(this.#usable()));
    this.#starved = false;
    this.#waited = false;
    this.#reportedMs = nowMs;
    this.#declared = { want: Math.min(this.#told, MOST_TOKENS), syncMs: syncIntervalMs };
    return this.#declared;
  }

  /** What was reported last, to be repeated in a report that only gives up tokens. */
  get declared(): Demand | undefined {
    return this.#declared;
  }

  /**
   * The most that is wanted on account of a cap, in tokens of the capacity. Where others could use more, its even part
   * of the cap, which is what is granted of as many (`Holding.shareAt`): of a larger part the rest would lie idle here.
   * Where nobody else wants anything to speak of, nearly all.
   */
  #usable(): number {
    const cap = this.#host.cappedAt?.();
    if (cap === undefined) return MOST_TOKENS;
    if (cap < 1) return 0;
    const even = Math.ceil(cap / this.#members);
    const isFrugal = this.#host.runtime.now() < this.#frugalUntilMs;
    return isFrugal ? even : Math.max(even, Math.floor(NEARLY_ALL * this.#capacity));
  }

  /** How much of what is held is kept after the last answer: where tokens are tight, what is due. */
  keep(): number {
    const view = this.#view;
    if (!view?.tight) return Number.POSITIVE_INFINITY;
    const due = needOf(view, this.#told) + view.extra;
    // The water level moves with what others want, and giving up every token of that would be a change each time.
    const slack = this.#host.calm && !view.hungry ? Math.floor(due / CALM_PART) : 0;
    const keepsOdd = view.odd && this.#hungry < HUNGRY_ANSWERS && !this.#hadTurn(view);
    return due + slack + (keepsOdd ? 1 : 0);
  }

  /** An answer came; `before` is what was reported as held. */
  heard(view: MemberView, before: number): void {
    this.#takeSingles();
    const hadOdd = this.#view?.odd ?? false;
    this.#view = view.demand;
    this.#capacity = view.capacity;
    this.#members = view.members;
    if (!view.demand) return;
    if (view.demand.waterLevel < view.capacity) this.#frugalUntilMs = this.#host.runtime.now() + FRUGAL_MS;
    this.#hungry = view.demand.hungry ? this.#hungry + 1 : 0;
    const isFruitless = this.#prompted && view.held <= before;
    this.#fruitless = isFruitless ? this.#fruitless + 1 : 0;
    this.#gapMs = Math.max(GAP_MS, GAP_PER_MEMBER_MS * view.members);
    this.#prompted = false;
    this.#lookAgainMs = 0;
    if (view.demand.odd && !hadOdd) this.#grantedSince = 0;
    const { odd, tight, waterLevel } = view.demand;
    this.#turnTokens = odd && tight ? (waterLevel + 1) * Math.max(1, waterLevel) : Number.POSITIVE_INFINITY;
    // Where there is less than a token for each, all of them take turns, and nothing is gained by asking sooner.
    if (!tight || waterLevel === 0 || this.#host.waiting() === 0) return;
    if (view.held * view.members > view.capacity) this.#followUp(view.held, before);
    else if (view.held < needOf(view.demand, this.#told)) this.#reportLate(LATE_PART, 0);
  }

  /** Counts what was granted of a turn; one that is over ends with a report at once: others wait for the odd token. */
  #grant(tokens: number, nowMs: number): void {
    this.#grantedSince += tokens;
    if (this.#grantedSince < this.#turnTokens) return;
    this.#turnTokens = Number.POSITIVE_INFINITY;
    this.#reportSoon(nowMs);
  }

  /** Others wait for what is given up. */
  #reportSoon(nowMs: number): void {
    this.#host.reportAfter(Math.max(0, this.#reportedMs + GAP_MS / 2 - nowMs));
  }

  /** Nothing asked for more than the water level, or the odd token was used as often as its turn lasts. */
  #hadTurn({ waterLevel }: DemandView): boolean {
    return this.#told <= waterLevel || this.#grantedSince >= (waterLevel + 1) * Math.max(1, waterLevel);
  }

  /** Somebody gets less than it asks for: reports soon, if this member has less than its part. */
  #starve(nowMs: number): void {
    this.#starved = true;
    if (this.#prompted || nowMs < this.#lookAgainMs || !this.#view) return;
    const { runtime, intervalMs, waiting, scale, held, epochEndMs, reportAfter } = this.#host;
    this.#lookAgainMs = nowMs + intervalMs * LOOK_AGAIN_PART;
    const want = Math.min(Math.max(this.#estimate.recent(nowMs), waiting()) * scale(), this.#usable());
    if (held() >= needOf(this.#view, Math.floor(want))) return;
    this.#prompted = true;
    // What others give up after they have used it comes with the next epoch.
    const nextMs = epochEndMs() + runtime.random() * intervalMs * LOOK_AGAIN_PART;
    const atMs = Math.min(this.#reportedMs + this.#gap(), Math.max(nextMs, this.#reportedMs + this.#apartMs));
    reportAfter(Math.max(0, atMs - nowMs));
  }

  /**
   * This member has more than the even part, and callers that wait for more: what others give back is for it, and
   * what others lack comes from it. So it asks in each epoch, and soon after much was moved: more of it may be under
   * way, and would lie idle in an outage.
   */
  #followUp(held: number, before: number): void {
    this.#reportLate(LATE_FROM_PART, LATE_PART);
    const moved = Math.max(held - before, held - this.keep());
    if (moved > held / MUCH_PART) this.#host.reportAfter(this.#gapMs);
  }

  /**
   * The next report comes late in an epoch, between these parts of it counted from its end. What others have given back
   * by then can be used in it. What is given up for others, used already, is theirs when the next one begins, if they
   * report after this member: one that has too little does so in what is left of the epoch.
   */
  #reportLate(fromPart: number, toPart: number): void {
    const { runtime, intervalMs, epochEndMs, reportAfter } = this.#host;
    const nowMs = runtime.now();
    const lateMs = epochEndMs() - intervalMs * (toPart + (fromPart - toPart) * runtime.random());
    const epochs = Math.ceil(Math.max(0, nowMs + this.#apartMs - lateMs) / intervalMs);
    reportAfter(lateMs + epochs * intervalMs - nowMs);
  }

  /** The least between two reports that come at a certain time of an epoch: epochs may be much shorter than a sync. */
  get #apartMs(): number {
    const { intervalMs, syncIntervalMs } = this.#host;
    return Math.max(this.#gapMs, (syncIntervalMs - intervalMs) / 2);
  }

  #gap(): number {
    return Math.min(this.#host.syncIntervalMs, this.#gapMs * 2 ** Math.min(this.#fruitless, 10));
  }
}
