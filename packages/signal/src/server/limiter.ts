/** What may come in a second. Without a figure there is no limit. */
export interface Quota {
  /** Most messages in a second; undefined for no limit. */
  readonly messagesPerSecond?: number | undefined;
  /** Bytes of payload. */
  readonly bytesPerSecond?: number | undefined;
}

/** A quota's two buckets. */
export class Limiter {
  readonly #messages: TokenBucket | undefined;
  readonly #bytes: TokenBucket | undefined;
  readonly #buckets: readonly TokenBucket[];

  constructor({ messagesPerSecond, bytesPerSecond }: Quota, nowMs: number) {
    this.#messages = messagesPerSecond === undefined ? undefined : new TokenBucket(messagesPerSecond, nowMs);
    this.#bytes = bytesPerSecond === undefined ? undefined : new TokenBucket(bytesPerSecond, nowMs);
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
    const waits = this.#buckets.map((bucket) => (share - bucket.level(nowMs) / bucket.perSecond) * 1_000);
    return nowMs + Math.max(0, ...waits);
  }
}

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
