/**
 * A token bucket that may go into debt. What has been sent already is taken in any case; that the bucket is empty
 * decides what may come next, and a debt is paid before that. So the average over time is exact, whatever was on its
 * way when the bucket ran empty.
 */
export class TokenBucket {
  readonly perSecond: number;
  #level: number;
  #atMs: number;

  /** Starts full: one second's worth. */
  constructor(perSecond: number, nowMs: number) {
    this.perSecond = perSecond;
    this.#level = perSecond;
    this.#atMs = nowMs;
  }

  /** Tokens at a time, now or later; less than 0 is a debt. */
  level(atMs: number): number {
    return Math.min(this.perSecond, this.#level + (Math.max(0, atMs - this.#atMs) / 1_000) * this.perSecond);
  }

  take(tokens: number, nowMs: number): void {
    this.#level = this.level(nowMs) - tokens;
    this.#atMs = Math.max(this.#atMs, nowMs);
  }
}
