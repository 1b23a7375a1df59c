/** What a peak knows, as a value: since when the window under way runs, its peak, and that of the window before. */
type PeakState = readonly [sinceMs: number, now: number, before: number];

/** What is known of the slots wanted of late, as a value. */
export type SlotWantState = readonly [slow: PeakState, fast: PeakState];

/** The highest value of late: in the window under way and in the one before. */
class Peak {
  readonly #windowMs: number;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #now = 0;
  #before = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  get state(): PeakState {
    return [this.#sinceMs, this.#now, this.#before];
  }

  restore([sinceMs, now, before]: PeakState): void {
    this.#sinceMs = sinceMs;
    this.#now = now;
    this.#before = before;
  }

  note(nowMs: number, value: number): void {
    if (nowMs - this.#sinceMs >= this.#windowMs) this.#roll(nowMs, value);
    else if (value > this.#now) this.#now = value;
  }

  forget(nowMs: number, value: number): void {
    this.#sinceMs = nowMs;
    this.#now = value;
    this.#before = value;
  }

  at(nowMs: number, value: number): number {
    this.note(nowMs, value);
    return Math.max(this.#now, this.#before);
  }

  #roll(nowMs: number, value: number): void {
    this.#before = nowMs - this.#sinceMs < 2 * this.#windowMs ? this.#now : value;
    this.#now = value;
    this.#sinceMs = nowMs;
  }
}

/** While slots are not scarce a member wants what it wanted of late, so that few calls wait for the store. */
const SLOW_MS = 1_000;

/**
 * How many slots this process wants: those in use and those that callers wait for, at their most of late. A fact, and
 * no estimate.
 */
export class SlotWant {
  readonly #slow = new Peak(SLOW_MS);
  readonly #fast: Peak;

  /** @param lingerMs for how long a slot is wanted, once it is idle, while slots are scarce */
  constructor(lingerMs: number) {
    this.#fast = new Peak(lingerMs);
  }

  /** Everything that is known, to be kept and put back with {@link restore}. */
  get state(): SlotWantState {
    return [this.#slow.state, this.#fast.state];
  }

  restore([slow, fast]: SlotWantState): void {
    this.#slow.restore(slow);
    this.#fast.restore(fast);
  }

  note(nowMs: number, slots: number): void {
    this.#slow.note(nowMs, slots);
    this.#fast.note(nowMs, slots);
  }

  /** What was wanted just before is not wanted any more. */
  forget(nowMs: number, slots: number): void {
    this.#fast.forget(nowMs, slots);
  }

  at(nowMs: number, slots: number, isTight: boolean): number {
    const fast = this.#fast.at(nowMs, slots);
    return isTight ? fast : Math.max(this.#slow.at(nowMs, slots), fast);
  }
}
