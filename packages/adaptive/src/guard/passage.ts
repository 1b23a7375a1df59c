import type { Slot as SlotOfFleet } from "@dt/core";
import { checkDuration } from "@dt/core/internal";
import type { Slot } from "../limit/slot.ts";
import type { Call } from "../outcome/call.ts";
import type { Verdict } from "../outcome/classify.ts";
import { checkOutcome } from "../outcome/outcome.ts";

/** What a passage has of its guard. */
export interface PassageHome {
  /** A call was let through. */
  entered(): void;
  /**
   * Receives what the callee reported before any other call goes out. Returns for how long none should, in
   * milliseconds.
   * @param wentOutMs when the call went out; undefined where a rejection looks after refusals without a time
   */
  received(verdict: Verdict, wentOutMs: number | undefined): number;
  /** Everything was given back. */
  left(): void;
}

/** What a call was given on its way; undefined where the guard has no such part. */
export interface Given {
  readonly call: Call | undefined;
  readonly slot: Slot | undefined;
  readonly slotOfFleet: SlotOfFleet | undefined;
}

const IGNORED: Verdict = { outcome: "ignored" };

/**
 * The right to make one call. It is settled once by how the call ended; a later report changes nothing. Declare it with
 * `using`, or settle it in `finally`: a passage that is never settled keeps its place in the limit.
 */
export class Passage implements Disposable {
  /** What the call costs. */
  readonly cost: number;
  readonly #call: Call | undefined;
  readonly #slot: Slot | undefined;
  readonly #slotOfFleet: SlotOfFleet | undefined;
  readonly #wentOutMs: number | undefined;
  #isReported = false;
  /** Undefined once it was settled. */
  #home: PassageHome | undefined;

  /** Made by `Guard`. */
  constructor(home: PassageHome, cost: number, enteredMs: number, { call, slot, slotOfFleet }: Given) {
    this.#home = home;
    this.cost = cost;
    this.#wentOutMs = call === undefined ? enteredMs : undefined;
    this.#call = call;
    this.#slot = slot;
    this.#slotOfFleet = slotOfFleet;
  }

  /** False once it was settled. */
  get open(): boolean {
    return this.#home !== undefined;
  }

  /**
   * Fires when the call is to end, since the right to its slot of the guard's `semaphore` is over: with
   * `DT_SLOT_LOST` or `DT_SLOT_OVERDUE`. Undefined for a guard without one. Made at the first look.
   * @example await guard.run((passage) => fetch(url, { signal: passage.signal }))
   */
  get signal(): AbortSignal | undefined {
    return this.#slotOfFleet?.signal;
  }

  /**
   * Reports the head of an answer while its body is still under way: a pause begins at once. The passage is still to be
   * settled.
   * @param verdict what the head means
   * @returns how long the pause is, in milliseconds; 0 where there is none
   * @throws DtError `DT_INVALID_OPTION` when the verdict makes no sense
   * @example passage.reportHead({ outcome: "overload", retryAfterMs: 5_000 })
   */
  reportHead(verdict: Verdict): number {
    const home = this.#home;
    if (home === undefined) return 0;
    checkVerdict(verdict);
    this.#isReported = true;
    return home.received(verdict, this.#wentOutMs);
  }

  /**
   * Reports how the call ended, to every part that let it through. A `retryAfterMs`, whatever the outcome, pauses the
   * whole guard. So does a refusal without one, where no other call succeeds and there is no rejection.
   * @param verdict what the end of the call means
   * @throws DtError `DT_INVALID_OPTION` when the verdict makes no sense; the passage is then still to be settled
   * @example passage.settle({ outcome: "success" })
   */
  settle(verdict: Verdict): void {
    const home = this.#home;
    if (home === undefined) return;
    checkVerdict(verdict);
    this.#home = undefined;
    // First the pause: the next call would get this slot, only to be called back.
    if (!this.#isReported) home.received(verdict, this.#wentOutMs);
    this.#call?.settle(verdict.outcome);
    this.#slot?.settle(verdict.outcome, verdict.report);
    this.#slotOfFleet?.release();
    home.left();
  }

  /** `ignored`, unless it was settled. */
  [Symbol.dispose](): void {
    this.settle(IGNORED);
  }
}

function checkVerdict({ outcome, retryAfterMs }: Verdict): void {
  checkOutcome(outcome);
  if (retryAfterMs !== undefined) checkDuration("retryAfterMs", retryAfterMs, 0);
}
