import type { Runtime, Timer } from "../runtime/runtime.ts";
import { LINGER_MS, type SlotShare } from "./slot-share.ts";

/** An idle slot is kept for so long where another member is known to wait, in milliseconds. */
const LINGER_WANTED_MS = 5;
/** Between two requests of a member whose callers wait. */
const ASK_GAP_MS = 20;
/** Between two reports that give something up. */
const GIVE_GAP_MS = 2;
/** One that waits in vain asks after so long, and then less and less often: a hint may be lost. */
const POLL_MS = 200;
/** The same where the store has no queue: there are no hints, and free slots go to members that ask. */
const POLL_ALONE_MS = 50;
/** After an offer: what else the last answer said is old. */
const REFRESH_MS = 200;
/** After a failure: doubled up to the sync interval. */
const RETRY_MS = 100;

/** What the schedule of a member depends on. */
export interface SlotScheduleOptions {
  readonly runtime: Runtime;
  readonly syncIntervalMs: number;
  readonly turnMs: () => number;
  /** True while the store's hints reach this member. */
  readonly isPushed: () => boolean;
  /** True where the store keeps the queue of the semaphore. */
  readonly hasQueue: boolean;
}

/** A member's place in the store's queue, by an answer. */
export interface Place {
  readonly place: number;
  readonly turns: number;
}

/** When the next request is sent: after a sync interval at the latest, sooner where it brings something. */
export class SlotSchedule {
  readonly #options: SlotScheduleOptions;
  readonly #share: SlotShare;
  readonly #request: () => void;
  #timer: Timer | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  /** A request is under way: what is due before its answer waits for it. */
  #isUnderWay = false;
  #sentMs = Number.NEGATIVE_INFINITY;
  readonly #firstPollMs: number;
  #pollMs: number;
  /** The request under way was sent since a caller waits. */
  #isPrompt = false;
  /** Prompt requests in a row that brought nothing. */
  #fruitless = 0;
  #reported: { readonly waiting: number; readonly want: number } = { waiting: 0, want: 0 };
  #linger: Timer | undefined;
  #lingerUntilMs = 0;
  #isOver = false;

  constructor(options: SlotScheduleOptions, share: SlotShare, request: () => void) {
    this.#options = options;
    this.#firstPollMs = options.hasQueue ? POLL_MS : POLL_ALONE_MS;
    this.#pollMs = this.#firstPollMs;
    this.#share = share;
    this.#request = request;
  }

  /** True where callers were reported to wait, and less is held than was wanted. */
  get isQueued(): boolean {
    const { waiting, want } = this.#reported;
    return this.#options.hasQueue && waiting > 0 && this.#share.held < want;
  }

  /** The next request is sent after so long, if none is due sooner. */
  soon(afterMs: number): void {
    if (this.#isOver) return;
    const { runtime } = this.#options;
    const dueMs = runtime.now() + afterMs;
    if (dueMs >= this.#dueMs) return;
    this.#dueMs = dueMs;
    if (this.#isUnderWay) return;
    this.#timer?.cancel();
    this.#timer = runtime.setTimer(
      () => {
        // A request may fail before it is sent: then the next one waits for its own time.
        this.rest();
        this.#request();
      },
      afterMs,
      { keepAlive: false },
    );
  }

  /** A request is sent now, with all that is known. */
  sent(nowMs: number, want: number): void {
    this.rest();
    this.#isUnderWay = true;
    this.#sentMs = nowMs;
    this.#reported = { waiting: this.#share.awaited, want };
  }

  /** The request under way has ended, with or without an answer. */
  ended(): void {
    this.#isUnderWay = false;
    const dueMs = this.#dueMs;
    if (dueMs === Number.POSITIVE_INFINITY) return;
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.soon(Math.max(0, dueMs - this.#options.runtime.now()));
  }

  /** Nothing is due any more, until the next request was sent. */
  rest(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  /** No request is sent any more. */
  end(): void {
    this.rest();
    this.#isOver = true;
    this.#linger?.cancel();
  }

  /** An answer was acted on. */
  answered(nowMs: number, rose: boolean, isFirst: boolean, place: Place | undefined): void {
    const { runtime, syncIntervalMs } = this.#options;
    if (rose) this.#pollMs = this.#firstPollMs;
    if (this.#isPrompt) this.#fruitless = rose ? 0 : Math.min(10, this.#fruitless + 1);
    this.#isPrompt = false;
    if (isFirst && this.#share.awaited > 0) this.soon(0);
    if (this.#waitsInVain()) this.#poll(place);
    this.tidy(nowMs);
    this.soon(syncIntervalMs * (0.9 + 0.1 * runtime.random()));
  }

  /** There was no answer, for so many times in a row. */
  failed(failures: number): void {
    const { runtime, syncIntervalMs } = this.#options;
    const pauseMs = Math.min(syncIntervalMs, RETRY_MS * 2 ** Math.min(failures - 1, 10));
    this.soon(pauseMs * (0.5 + runtime.random() / 2));
  }

  /** An offer was taken. */
  raised(nowMs: number): void {
    this.#fruitless = 0;
    this.tidy(nowMs);
    this.soon(REFRESH_MS);
  }

  /** A caller waits, or found no slot and does not wait (`missed`): asks where it has less than its part. */
  short(nowMs: number, missed: boolean): void {
    const share = this.#share;
    if (!share.isValid(nowMs)) {
      this.soon(this.#after(ASK_GAP_MS, nowMs));
      return;
    }
    if (!share.isMember || share.held > Math.min(share.waterLevel, share.want(nowMs))) return;
    const { waiting, want } = this.#reported;
    const isReported = want >= share.inUse + share.awaited || share.held >= share.waterLevel;
    if (waiting > 0 && isReported) return;
    this.#pollMs = this.#firstPollMs;
    this.#isPrompt = true;
    const hasItsPart = share.held >= Math.max(1, share.waterLevel);
    const gapMs =
      hasItsPart || missed ? Math.min(this.#options.syncIntervalMs, ASK_GAP_MS * 2 ** this.#fruitless) : ASK_GAP_MS;
    this.soon(this.#after(gapMs, nowMs));
  }

  /** Reports soon what is to be given up; idle slots after a while, if they are idle still. */
  tidy(nowMs: number): void {
    if (this.#share.isMember && this.#share.gives(nowMs)) this.soon(this.#after(GIVE_GAP_MS, nowMs));
    else this.#look(nowMs);
  }

  #look(nowMs: number): void {
    const share = this.#share;
    if (!share.isIdle()) {
      share.idleSinceMs = undefined;
      return;
    }
    share.idleSinceMs ??= nowMs;
    const untilMs = share.idleSinceMs + (share.isAsked ? LINGER_WANTED_MS : LINGER_MS);
    if (nowMs >= untilMs) {
      if (share.forgetIdle(nowMs)) this.soon(this.#after(GIVE_GAP_MS, nowMs));
      return;
    }
    if (this.#linger !== undefined && this.#lingerUntilMs <= untilMs) return;
    const { runtime } = this.#options;
    this.#lingerUntilMs = untilMs;
    this.#linger?.cancel();
    this.#linger = runtime.setTimer(
      () => {
        this.#linger = undefined;
        this.#look(runtime.now());
      },
      // Whole milliseconds: a rest that the clock's fractions cannot express would be due at once, again and again.
      Math.ceil(untilMs - nowMs),
      { keepAlive: false },
    );
  }

  /** Callers wait, and it has less than it is due. */
  #waitsInVain(): boolean {
    const { awaited, inUse, held, waterLevel } = this.#share;
    return awaited > 0 && held < Math.max(1, Math.min(Math.max(1, waterLevel), inUse + awaited));
  }

  /** A safety net where hints are lost; without hints a poll, as far apart as its place in the queue allows. */
  #poll(place: Place | undefined): void {
    const { hasQueue, isPushed, syncIntervalMs, turnMs, runtime } = this.#options;
    if (hasQueue && !isPushed() && place !== undefined)
      this.#pollMs = bounded((place.place * turnMs()) / (4 * Math.max(1, place.turns)), syncIntervalMs);
    this.soon(this.#pollMs * (0.75 + 0.25 * runtime.random()));
    this.#pollMs = bounded(this.#pollMs * 2, syncIntervalMs);
  }

  #after(gapMs: number, nowMs: number): number {
    return Math.max(0, this.#sentMs + gapMs - nowMs);
  }
}

function bounded(pollMs: number, syncIntervalMs: number): number {
  return Math.min(syncIntervalMs, Math.max(ASK_GAP_MS, pollMs));
}
