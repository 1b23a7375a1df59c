import { TokenBucket } from "./token-bucket.ts";

/** What may come in a second. Without a figure there is no limit. */
export interface Quota {
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
