import { checkDuration } from "@dt/core/kit";
import type { Slot } from "../limit/slot.ts";
import type { Call } from "../outcome/call.ts";
import type { Classifier, Ended, Verdict } from "../outcome/classify.ts";
import { checkOutcome } from "../outcome/outcome.ts";

/** What a passage has of its guard. */
export interface PassageHome {
  /** Hears of the end before anybody else goes out. */
  ended(verdict: Verdict): void;
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
  /** Undefined once it was settled. */
  #home: PassageHome | undefined;

  /** Made by `Guard`. */
  constructor(home: PassageHome, cost: number, call: Call | undefined, slot: Slot | undefined) {
    this.#home = home;
    this.cost = cost;
    this.#call = call;
    this.#slot = slot;
  }

  /** False once it was told how the call ended. */
  get open(): boolean {
    return this.#home !== undefined;
  }

  /**
   * Tells how the call ended, to all that let it through. A `retryAfterMs`, whatever the outcome, pauses the whole
   * guard.
   * @throws DtError `DT_INVALID_OPTION` when the verdict makes no sense; it is then still to be told
   */
  settle(verdict: Verdict): void {
    const home = this.#home;
    if (home === undefined) return;
    const { outcome, report, retryAfterMs } = verdict;
    checkOutcome(outcome);
    if (retryAfterMs !== undefined) checkDuration("retryAfterMs", retryAfterMs, 0);
    this.#home = undefined;
    // First the pause: whoever is next would get this slot, only to be called back.
    home.ended(verdict);
    this.#call?.settle(outcome);
    this.#slot?.settle(outcome, report);
    home.left();
  }

  /** `ignored`, unless it was settled. */
  [Symbol.dispose](): void {
    this.settle(IGNORED);
  }
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
