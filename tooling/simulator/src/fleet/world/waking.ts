import type { BootReading } from "../plan/plan.ts";

/**
 * A suspension that is certainly noticed by a reading: what core looks for, and what two readings in whole seconds may
 * be off.
 */
const NOTICED_MS = 2_600;

/**
 * What a process may do that woke with a clock that stood still: it counts in epochs that are over. Where the host
 * tells its boot time, in the one in which it fell asleep only; elsewhere until the store has answered, fast enough for
 * its clock to be read, a call that was sent since.
 */
export class Waking {
  readonly #noticed: boolean;
  /** The process's clock, which stood at this. */
  readonly #atMs: number;
  readonly #clockErrorMs: number;
  #epoch: number | undefined;
  #over = false;

  constructor(forMs: number, reading: BootReading, atMs: number, clockErrorMs: number) {
    this.#noticed = reading !== "none" && forMs >= NOTICED_MS;
    this.#atMs = atMs;
    this.#clockErrorMs = clockErrorMs;
  }

  /** A call that was sent at `sentMs` of its own clock was answered in time. */
  answered(sentMs: number, takenMs: number): void {
    if (sentMs > this.#atMs && takenMs <= this.#clockErrorMs) this.#over = true;
  }

  /** It counts in the epoch that is. */
  inTime(): void {
    if (this.#noticed) this.#over = true;
  }

  /** May it count in an epoch that is over? */
  mayLag(epoch: number): boolean {
    if (this.#over) return false;
    this.#epoch ??= epoch;
    return !this.#noticed || epoch === this.#epoch;
  }
}
