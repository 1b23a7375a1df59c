import { checkDuration } from "@dt/core/internal";
import type { Slot } from "../limit/slot.ts";
import type { Call } from "../outcome/call.ts";
import type { Classifier, Ended, Verdict } from "../outcome/classify.ts";
import { checkOutcome } from "../outcome/outcome.ts";

/** What a passage has of its guard. */
export interface PassageHome {
  /**
   * Hears what the callee said before anybody else goes out. Returns for how long nothing should, in milliseconds.
   * @param wentOutMs when the call went out; undefined where a rejection sees to refusals that tell no time
   */
  heard(verdict: Verdict, wentOutMs: number | undefined): number;
  /** Hears of it when everything was given back. */
  left(): void;
}

const IGNORED: Verdict = { outcome: "ignored" };

/**
 * The right to make one call. Whoever has it says how the call ended, once; what is said later is not heard. Declare it
 * with `using`, or settle it in `finally`: one that is never settled keeps its place in the limit.
 */
export class Passage implements Disposable {
  /** What the call costs. */
  readonly cost: number;
  readonly #call: Call | undefined;
  readonly #slot: Slot | undefined;
  readonly #wentOutMs: number | undefined;
  #isHeard = false;
  /** Undefined once it was settled. */
  #home: PassageHome | undefined;

  /** Made by `Guard`. */
  constructor(home: PassageHome, cost: number, enteredMs: number, call: Call | undefined, slot: Slot | undefined) {
    this.#home = home;
    this.cost = cost;
    this.#wentOutMs = call === undefined ? enteredMs : undefined;
    this.#call = call;
    this.#slot = slot;
  }

  /** False once it was told how the call ended. */
  get open(): boolean {
    return this.#home !== undefined;
  }

  /**
   * Tells what the head of an answer says, while its body is still under way: a pause begins at once. Returns how long
   * it is, in milliseconds; 0 where there is none. The call is still to be settled.
   * @throws DtError `DT_INVALID_OPTION` when the verdict makes no sense
   */
  heard(verdict: Verdict): number {
    const home = this.#home;
    if (home === undefined) return 0;
    checkVerdict(verdict);
    this.#isHeard = true;
    return home.heard(verdict, this.#wentOutMs);
  }

  /**
   * Tells how the call ended, to all that let it through. A `retryAfterMs`, whatever the outcome, pauses the whole
   * guard; so does a refusal without one, where nothing else is taken either and there is no rejection.
   * @throws DtError `DT_INVALID_OPTION` when the verdict makes no sense; it is then still to be told
   */
  settle(verdict: Verdict): void {
    const home = this.#home;
    if (home === undefined) return;
    checkVerdict(verdict);
    this.#home = undefined;
    // First the pause: whoever is next would get this slot, only to be called back.
    if (!this.#isHeard) home.heard(verdict, this.#wentOutMs);
    this.#call?.settle(verdict.outcome);
    this.#slot?.settle(verdict.outcome, verdict.report);
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

/** Says how a call ended; a classifier that throws counts it as `ignored`, and its error is the call's. */
export function settleBy(classify: Classifier, passage: Passage, ended: Ended): void {
  let verdict = IGNORED;
  try {
    verdict = classify(ended);
  } finally {
    passage.settle(verdict);
  }
}
