import { concernsConnection, type ThrottlingReason } from "../protocol/reason.ts";

/**
 * What a producer has been told. Signals overlap: each reason lasts as long as its latest end, and the producer as long
 * as any of them. Nothing ends by a timer, only by the time.
 */
export class ThrottleState {
  readonly #untilMs = new Map<ThrottlingReason, number>();
  /** Reasons of which only the server knows when they end. */
  readonly #open = new Set<ThrottlingReason>();
  #openSinceMs = 0;
  #openMs = 0;
  #last: ThrottlingReason | undefined;
  #coveredUntilMs = Number.NEGATIVE_INFINITY;
  #coveredMs = 0;

  /** A signal came. A connection's reason without a time lasts until {@link endOpen}. */
  add(reason: ThrottlingReason, pauseMs: number, nowMs: number): void {
    this.#last = reason;
    if (concernsConnection(reason) && pauseMs === 0) {
      if (this.#open.size === 0) this.#openSinceMs = nowMs;
      this.#open.add(reason);
      return;
    }
    const untilMs = nowMs + pauseMs;
    this.#untilMs.set(reason, Math.max(this.#untilMs.get(reason) ?? 0, untilMs));
    this.#coveredMs += Math.max(0, untilMs - Math.max(nowMs, this.#coveredUntilMs));
    this.#coveredUntilMs = Math.max(this.#coveredUntilMs, untilMs);
  }

  /** The server reads on; returns for how long it did not, by reason. */
  endOpen(nowMs: number): ReadonlyMap<ThrottlingReason, number> {
    const ms = nowMs - this.#openSinceMs;
    const ended = new Map([...this.#open].map((reason) => [reason, ms] as const));
    if (this.#open.size > 0) this.#openMs += ms;
    this.#open.clear();
    return ended;
  }

  /** When the last throttle ended, or will end; minus infinity when there was none. */
  get endMs(): number {
    return this.#coveredUntilMs;
  }

  /** For how long nothing may be sent yet, in milliseconds; 0 where only the server knows. */
  remainingMs(nowMs: number): number {
    return Math.max(0, this.#coveredUntilMs - nowMs);
  }

  /** Why it is throttled: what lasts longest. Undefined when it is not. */
  reason(nowMs: number): ThrottlingReason | undefined {
    let [latest, latestMs]: [ThrottlingReason | undefined, number] = [undefined, nowMs];
    for (const [reason, untilMs] of this.#untilMs) if (untilMs > latestMs) [latest, latestMs] = [reason, untilMs];
    const [open] = this.#open;
    return latest ?? open;
  }

  /** The reason that was told last, whether it has ended or not. */
  get lastReason(): ThrottlingReason | undefined {
    return this.#last;
  }

  /** For how many milliseconds it was throttled, since it was made. */
  throttledMs(nowMs: number): number {
    const timed = this.#coveredMs - this.remainingMs(nowMs);
    return timed + this.#openMs + (this.#open.size > 0 ? nowMs - this.#openSinceMs : 0);
  }
}
