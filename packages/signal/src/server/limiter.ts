import type { Rate } from "@dt/core";
import { type ParsedRate, parseRate } from "@dt/core/internal";

/** What may come. Without a rate there is no limit. */
export interface Quota {
  /**
   * How many messages may come, such as `"20/s"` or `"600/min"`; a number alone counts a second. As many as the rate
   * names may come at once.
   * @default no limit
   */
  readonly rate?: Rate | undefined;
  /**
   * How many bytes of payload may come, such as `"1000000/s"`.
   * @default no limit
   */
  readonly byteRate?: Rate | undefined;
}

/** A quota's two buckets. */
export class Limiter {
  readonly #messages: TokenBucket | undefined;
  readonly #bytes: TokenBucket | undefined;
  readonly #buckets: readonly TokenBucket[];

  constructor({ rate, byteRate }: Quota, nowMs: number) {
    this.#messages = rate === undefined ? undefined : new TokenBucket(parseRate("rate", rate), nowMs);
    this.#bytes = byteRate === undefined ? undefined : new TokenBucket(parseRate("byteRate", byteRate), nowMs);
    this.#buckets = [this.#messages, this.#bytes].filter((bucket) => bucket !== undefined);
  }

  /** A message of so many bytes came. */
  take(bytes: number, nowMs: number): void {
    this.#messages?.take(1, nowMs);
    this.#bytes?.take(bytes, nowMs);
  }

  /** True when nothing is left at a time, now or later. */
  exhausted(atMs: number): boolean {
    return this.#buckets.some((bucket) => bucket.level(atMs) <= 0);
  }

  /** When both buckets hold a share of what they can hold again, if nothing more comes. */
  filledAtMs(share: number, nowMs: number): number {
    const waits = this.#buckets.map((bucket) => (share - bucket.level(nowMs) / bucket.most) * bucket.intervalMs);
    return nowMs + Math.max(0, ...waits);
  }
}

/**
 * A token bucket that may go into debt. What has been sent already is taken in any case; that the bucket is empty
 * decides what may come next, and a debt is paid before that. So the average over time is exact, whatever was on its
 * way when the bucket ran empty.
 */
export class TokenBucket {
  /** The most that it holds: what may come in an interval. */
  readonly most: number;
  readonly intervalMs: number;
  #level: number;
  #atMs: number;

  /** Starts full: one interval's worth. */
  constructor({ count, intervalMs }: ParsedRate, nowMs: number) {
    this.most = count;
    this.intervalMs = intervalMs;
    this.#level = count;
    this.#atMs = nowMs;
  }

  /** Tokens at a time, now or later; less than 0 is a debt. */
  level(atMs: number): number {
    return Math.min(this.most, this.#level + (Math.max(0, atMs - this.#atMs) / this.intervalMs) * this.most);
  }

  take(tokens: number, nowMs: number): void {
    this.#level = this.level(nowMs) - tokens;
    this.#atMs = Math.max(this.#atMs, nowMs);
  }
}
