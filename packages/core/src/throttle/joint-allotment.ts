import type { PauseEnd } from "../internal/pause.ts";
import { Allotment, type Release } from "../shares/allotment.ts";
import type { ThrottleStatus } from "./status.ts";

/** While the other group has no tokens, it is looked again after so long at the latest. */
const LOOK_EVERY_MS = 100;

/** And after so long at the earliest. */
const SOONEST_LOOK_MS = 1;

/** The throttle of a group that is being replaced, as far as its tokens are needed. */
export interface ReplacedThrottle {
  tryAcquireUpTo(n: number): number;
  status(): ThrottleStatus;
  pauseUntil(until: PauseEnd): void;
}

/**
 * An allotment whose every grant takes as many tokens of another group, in the same instant: what is granted is inside
 * the limits of both. What is given back counts in this group alone, so that it can only be granted again with other
 * tokens of the other one.
 */
export class JointAllotment extends Allotment {
  readonly #other: ReplacedThrottle;

  constructor(release: Release, burst: number | undefined, other: ReplacedThrottle) {
    super(release, burst);
    this.#other = other;
  }

  override take(n: number, nowMs: number): number {
    const own = super.take(n, nowMs);
    if (own === 0) return 0;
    const both = this.#other.tryAcquireUpTo(own);
    if (both < own) this.takeBack(own - both);
    return both;
  }

  override available(nowMs: number): number {
    const own = super.available(nowMs);
    return own === 0 ? 0 : Math.min(own, this.#other.status().available);
  }

  override nextAt(nowMs: number, n = 1): number {
    if (!this.waitsForOther(nowMs)) return super.nextAt(nowMs, n);
    const { endsInMs = LOOK_EVERY_MS } = this.other.blockedBy ?? {};
    return nowMs + Math.min(LOOK_EVERY_MS, Math.max(SOONEST_LOOK_MS, endsInMs));
  }

  /** True when this group has tokens, and the other one has none. */
  waitsForOther(nowMs: number): boolean {
    return super.available(nowMs) > 0 && this.available(nowMs) === 0;
  }

  /** Where the tokens of the other group stand. */
  get other(): ThrottleStatus {
    return this.#other.status();
  }
}
