import type { BucketLimit } from "@dt/core";
import type { TimedAnswer } from "@dt/core/internal";
import type { Standing } from "./outcome.ts";

/** A refusal is remembered for no longer, since others may give units back, in milliseconds. */
const MOST_REMEMBERED_MS = 1_000;
/** A key that refused a call lately gives units that are due later. */
const SCARCE_MS = 2_000;

/** What the store's last answer tells of a key: it counts on from there. */
export class Knowledge {
  #limit: BucketLimit | undefined;
  #everyMs = 0;
  #remaining = 0;
  #atMs = 0;
  #deniedCost = Number.POSITIVE_INFINITY;
  #deniedUntilMs = 0;
  /** When the refused cost is there, if nobody gives anything back: later than a refusal is remembered. */
  #dueMs = 0;
  #scarceUntilMs = 0;

  /** The limit in force, as of the last answer. */
  get limit(): BucketLimit | undefined {
    return this.#limit;
  }

  /** The time in which one unit comes back, in milliseconds. */
  get everyMs(): number {
    return this.#everyMs;
  }

  /** Takes in an answer. @param cost what was refused, where nothing was granted */
  learn({ answer, sentMs, receivedMs }: TimedAnswer, cost: number | undefined): void {
    const { limit, everyMs, remaining, granted, limitedBy, waitMs } = answer;
    if (limit) this.#limit = limit;
    this.#everyMs = everyMs;
    this.#remaining = remaining;
    this.#atMs = receivedMs;
    if (limitedBy === "rate") this.#scarceUntilMs = receivedMs + SCARCE_MS;
    if (cost === undefined || granted > 0 || limitedBy === "concurrent") return;
    this.#deniedCost = cost;
    this.#deniedUntilMs = Math.min(sentMs + waitMs, receivedMs + MOST_REMEMBERED_MS);
    this.#dueMs = receivedMs + waitMs;
  }

  /** Nothing is known any more. */
  forget(): void {
    this.#limit = undefined;
    this.#deniedUntilMs = 0;
    this.#scarceUntilMs = 0;
  }

  /** In how many milliseconds a cost is there that is certainly refused now; 0 where that is not known. */
  deniedForMs(cost: number, nowMs: number): number {
    if (cost < this.#deniedCost || nowMs >= this.#deniedUntilMs) return 0;
    return this.#dueMs + (cost - this.#deniedCost) * this.#everyMs - nowMs;
  }

  /** True while the key has no more than comes back. */
  isScarce(nowMs: number): boolean {
    return nowMs < this.#scarceUntilMs;
  }

  /** Units in the bucket, as far as they have come back since the last answer. */
  remaining(nowMs: number): number {
    const back = this.#everyMs > 0 ? (nowMs - this.#atMs) / this.#everyMs : 0;
    return Math.min(this.#limit?.burst ?? 0, this.#remaining + back);
  }

  /** How the key stands, with what this process has in hand of it; undefined before an answer. */
  standing(inHand: number, nowMs: number): Standing | undefined {
    const limit = this.#limit;
    if (!limit) return undefined;
    const remaining = Math.min(limit.burst, this.remaining(nowMs) + inHand);
    return {
      limit,
      remaining: Math.max(0, Math.floor(remaining)),
      resetMs: (limit.burst - remaining) * this.#everyMs,
    };
  }
}
