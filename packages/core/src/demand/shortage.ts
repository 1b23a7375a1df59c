/** A caller waits nearly always when one waits for more than this part of the time. */
const SHORT_PART = 0.9;
/** So many times in a row: where requests come by chance, a caller often waits for one epoch to end, or two. */
const SHORT_TIMES = 3;
/** A time is at least this part of an interval, or of that between reports if that is longer: some come a bit early. */
const TIME_PART = 3 / 4;

/** For how long callers wait, and whether they wait nearly always: then more is wanted than what waits just now. */
export class Shortage {
  readonly #timeMs: number;
  /** Since when a caller waits, and for how long callers waited before that in the time under way. */
  #sinceMs: number | undefined;
  #waitedMs = 0;
  /** When the time under way began, and in how many before it, in a row, a caller waited nearly always. */
  #beganMs: number = Number.NEGATIVE_INFINITY;
  #times = 0;

  constructor(intervalMs: number, syncIntervalMs: number) {
    this.#timeMs = TIME_PART * Math.max(intervalMs, syncIntervalMs);
  }

  /** True while a caller waits. */
  get isNow(): boolean {
    return this.#sinceMs !== undefined;
  }

  /** A caller waits. */
  begin(nowMs: number): void {
    this.#sinceMs ??= nowMs;
  }

  /** No caller waits any more. */
  end(nowMs: number): void {
    if (this.#sinceMs === undefined) return;
    this.#waitedMs += nowMs - this.#sinceMs;
    this.#sinceMs = undefined;
  }

  /** Whether a caller waits nearly always. Asked for with each report; one soon after another shows nothing new. */
  isLasting(nowMs: number): boolean {
    const passedMs = nowMs - this.#beganMs;
    if (passedMs < this.#timeMs) return false;
    const waits = this.isNow;
    this.end(nowMs);
    this.#times = waits && this.#waitedMs > SHORT_PART * passedMs ? this.#times + 1 : 0;
    this.#waitedMs = 0;
    this.#beganMs = nowMs;
    if (waits) this.begin(nowMs);
    return this.#times >= SHORT_TIMES;
  }
}
