/** So many intervals are looked back at, and the one under way. */
const INTERVALS = 11;
/** What so many bursts among them needed is needed again soon. */
const BURSTS = 3;
/** In a longer interval a burst lasts for long enough to be followed: what others do not need reaches it in time. */
const LONGEST_MS = 2_000;

/**
 * What short bursts needed that came again and again. A share that follows demand comes when such a burst is over. So
 * where callers are refused and not made to wait, a member keeps what the last bursts needed until the next one (85 %
 * of what an oracle grants with it, and 73 % without: bursts of 0.6 s, one about every 2 s, with 2 members).
 */
export class Bursts {
  readonly #intervalMs: number;
  /** Tokens that were asked for in each of the last intervals, in places of their numbers. */
  readonly #tokens = new Float64Array(INTERVALS);
  #interval = 0;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** Counts tokens that were asked for at this time. Times never go back. */
  add(tokens: number, atMs: number): void {
    const place = this.#advance(atMs) % INTERVALS;
    this.#tokens[place] = (this.#tokens[place] as number) + tokens;
  }

  /** The most that three bursts of the last intervals needed in one interval; 0 without such bursts. */
  need(nowMs: number): number {
    if (this.#intervalMs > LONGEST_MS) return 0;
    this.#advance(nowMs);
    let need = 0;
    for (const tokens of this.#tokens) if (tokens > need && this.#bursts(tokens) >= BURSTS) need = tokens;
    return need;
  }

  /** How many bursts needed so many tokens in an interval. Intervals in a row that needed them are one burst. */
  #bursts(tokens: number): number {
    let bursts = 0;
    let before = 0;
    for (let passed = 1; passed <= INTERVALS; passed++) {
      const needed = this.#tokens[(this.#interval + passed) % INTERVALS] as number;
      if (needed >= tokens && before < tokens) bursts += 1;
      before = needed;
    }
    return bursts;
  }

  /** Forgets the oldest intervals where new ones have begun; the number of the one at this time. */
  #advance(atMs: number): number {
    const interval = Math.floor(atMs / this.#intervalMs);
    const first = Math.max(this.#interval + 1, interval - INTERVALS + 1);
    for (let next = first; next <= interval; next++) this.#tokens[next % INTERVALS] = 0;
    this.#interval = interval;
    return interval;
  }
}
