/** A clock and the timers that go with it. */
export interface PlatformTime {
  now(): number;
  set(callback: () => void, delayMs: number): unknown;
  clear(handle: unknown): void;
}

type Handle = Parameters<typeof clearTimeout>[0];

/** What the platform had when this module was loaded. */
const heldSetTimeout = setTimeout;
const heldClearTimeout = clearTimeout;
const heldPerformance = performance;
const heldNow = heldPerformance.now;

/** A clock that is ahead of `clock`, so that time goes on from where it was. */
const ahead = (clock: { now(): number }, aheadMs: number): { now(): number } =>
  aheadMs > 0 ? { now: () => clock.now() + aheadMs } : clock;

/** Whole seconds, so that epochs begin on them in a faked time as well. */
const wholeSeconds = (ms: number): number => Math.ceil(Math.max(0, ms) / 1_000) * 1_000;

/**
 * The platform's time, or that of fake timers (jest, vitest, sinon) while these are installed: the clock and the timers
 * always of the same one. Fakes that take only one of the two are not followed: a faked timer beside the real clock
 * would never be due. Time does not go back when fakes come or go, as long as a timer that was set before is pending.
 */
export class PlatformTimes {
  /** Timers that were set, and neither fired nor were cancelled. */
  pending = 0;
  // Held, and not read at each use, because the global is a getter: that adds 7 ns to a clock read of 30 ns.
  #clock: { now(): number } = heldPerformance;
  readonly #real: PlatformTime = { now: () => heldPerformance.now(), set: heldSetTimeout, clear: heldClear };
  #fake: (PlatformTime & { readonly of: typeof performance }) | undefined;
  #fakeMs = 0;

  /** Milliseconds on the clock of now. */
  readonly now = (): number => (setTimeout === heldSetTimeout ? this.#clock.now() : this.#look());

  /** What timers that are set now go by. */
  get current(): PlatformTime {
    if (setTimeout === heldSetTimeout || !isClockFaked()) return this.#real;
    if (this.#fake?.of !== performance) this.#enter();
    return this.#fake as PlatformTime;
  }

  get faked(): boolean {
    return this.current !== this.#real;
  }

  #look(): number {
    const { current } = this;
    return current === this.#real ? this.#clock.now() : current.now();
  }

  /** Fakes were installed. */
  #enter(): void {
    const of = performance;
    const beforeMs = Math.max(this.#fake === undefined ? 0 : this.#fakeMs, this.#clock.now());
    const clock = ahead(of, this.pending > 0 ? wholeSeconds(beforeMs - of.now()) : 0);
    this.#fake = {
      of,
      now: () => {
        this.#fakeMs = clock.now();
        return this.#fakeMs;
      },
      set: (callback, delayMs) => setTimeout(callback, delayMs),
      clear: (handle) => clearTimeout(handle as Handle),
    };
    // The first look after the fakes are gone finds how far these were ahead.
    this.#clock = { now: () => this.#leave() };
  }

  /** Fakes were taken away. */
  #leave(): number {
    const realMs = heldPerformance.now();
    this.#clock = ahead(heldPerformance, this.pending > 0 ? this.#fakeMs - realMs : 0);
    this.#fake = undefined;
    return this.#clock.now();
  }
}

function isClockFaked(): boolean {
  return performance !== heldPerformance || performance.now !== heldNow;
}

function heldClear(handle: unknown): void {
  heldClearTimeout(handle as Handle);
}
