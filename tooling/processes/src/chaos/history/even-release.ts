/**
 * The share of an interval in which calls are counted: short, as a fleet whose clocks are corrected may begin an epoch
 * some milliseconds early.
 */
const WINDOW = 0.1;

/** How long a throttle keeps tokens that came due while a caller waited. */
const KEPT_MS = 100;

/**
 * Counts the calls of a process that releases its tokens evenly, as somebody with a sliding window would. In any tenth
 * of an interval there is a tenth of its share; one more at each of its ends, where an epoch may end in between; and
 * what was not used in time: up to `burst`, which is 2 % of the share or one token, or what came due in the last 100 ms
 * while a caller waited. The burst may come once again when the process corrects its clock.
 */
export class EvenRelease {
  readonly #windowMs: number;
  /** The share of a process's tokens that came due in the time for which they are kept. */
  readonly #kept: number;
  readonly #calls: { readonly atMs: number; readonly tokens: number; readonly share: number }[] = [];

  constructor(intervalMs: number) {
    this.#windowMs = WINDOW * intervalMs;
    this.#kept = KEPT_MS / intervalMs;
  }

  /** Takes a grant in, of an epoch in which the process had no more than `share`; says what is wrong with it. */
  granted(atMs: number, tokens: number, share: number): string | undefined {
    this.#calls.push({ atMs, tokens, share });
    while ((this.#calls[0]?.atMs as number) < atMs - this.#windowMs) this.#calls.shift();
    const counted = this.#calls.reduce((sum, call) => sum + call.tokens, 0);
    const largest = Math.max(...this.#calls.map((call) => call.share));
    const burst = Math.max(1, Math.ceil(largest * 0.02));
    const late = Math.max(burst, Math.ceil(largest * this.#kept));
    const most = Math.ceil(largest * WINDOW) + 2 + burst + late;
    return counted > most ? `${counted} calls in ${this.#windowMs} ms, ${most} at most of ${largest}` : undefined;
  }
}
