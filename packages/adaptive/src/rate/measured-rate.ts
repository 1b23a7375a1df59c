/** Half a second: buckets are no shorter. */
const BUCKET_MS = 500;
/** The weight of the newest bucket. */
const SMOOTH = 0.8;

/**
 * How many calls a second were counted lately: in buckets of half a second or more, each weighing four times as much as
 * all before it. As the AWS SDKs measure it.
 */
export class MeasuredRate {
  /** Calls a second. */
  rate = 0;
  /** Calls in the newest bucket that has ended. */
  newest = 0;
  readonly #bucketMs: number;
  #count = 0;
  #ended = false;
  #bucket: number;

  constructor(nowMs: number, bucketMs = BUCKET_MS) {
    this.#bucketMs = Math.max(BUCKET_MS, bucketMs);
    this.#bucket = this.#bucketOf(nowMs);
  }

  /**
   * The rate, or before the first bucket has ended what was counted in it so far: a process that is refused in its
   * first moments has not sent nothing.
   */
  get estimate(): number {
    return this.#ended ? this.rate : (this.#count * 1_000) / this.#bucketMs;
  }

  /** Counts `calls`, which may be taken back (-1); with 0 it only looks whether a bucket has ended. */
  add(nowMs: number, calls = 1): void {
    this.#count += calls;
    const bucket = this.#bucketOf(nowMs);
    if (bucket <= this.#bucket) return;
    const seconds = ((bucket - this.#bucket) * this.#bucketMs) / 1_000;
    // More may be taken back than was counted, where it was counted in another bucket.
    this.rate = Math.max(0, (this.#count / seconds) * SMOOTH + this.rate * (1 - SMOOTH));
    this.#ended = true;
    this.newest = this.#count;
    this.#count = 0;
    this.#bucket = bucket;
  }

  #bucketOf(nowMs: number): number {
    return Math.floor(nowMs / this.#bucketMs);
  }
}
