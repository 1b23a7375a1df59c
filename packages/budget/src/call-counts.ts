import type { CallCounts, Semaphore } from "@dt/core";
import { type Events, Tally } from "@dt/core/internal";
import type { BudgetEvents } from "./events.ts";
import type { BudgetSettings } from "./options.ts";

/** One call, from when it asked. */
export interface CountedCall {
  readonly sinceMs: number;
  readonly units: readonly number[];
  readonly priority: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Counts the calls of one budget by how they came out, and knows when the limits keep calls waiting. The round trip of
 * a call to the store is no wait.
 */
export class BudgetTally {
  readonly #settings: BudgetSettings;
  readonly #tally: Tally<Readonly<Record<string, number>>>;
  readonly #semaphore: Semaphore | undefined;
  /** Local time at which a limit last kept callers waiting: all who were there then have waited for it. */
  #heldUpMs = Number.NEGATIVE_INFINITY;
  /** True while callers wait for a limit. */
  isHeldUp: () => boolean = () => false;

  constructor(settings: BudgetSettings, events: Events<BudgetEvents>, semaphore: Semaphore | undefined) {
    this.#settings = settings;
    this.#tally = new Tally(events.topic("decided"));
    this.#semaphore = semaphore;
  }

  get counts(): CallCounts {
    return this.#tally.counts();
  }

  /** True where a limit made a call wait, or refused one, within the last 30 s. */
  get isLimiting(): boolean {
    const { runtime } = this.#settings;
    return this.isHeldUp() || this.#tally.isLimiting(runtime.now()) || this.#semaphore?.status().limiting === true;
  }

  /** A limit keeps callers waiting, or has refused a call. */
  heldUp(): void {
    this.#heldUpMs = this.#settings.runtime.now();
    this.#tally.limited(this.#heldUpMs);
  }

  /** A caller has waited for a slot of `concurrent`, or found none. */
  lackedSlot(): void {
    if (this.#semaphore?.status().limiting) this.heldUp();
  }

  granted(call: CountedCall, isHeldUp: boolean): void {
    if (isHeldUp || this.#heldUpMs >= call.sinceMs) this.#decided("granted", call);
    else this.#tally.granted += 1;
  }

  /** A call of `run` does not wait, and is refused. */
  refused(call: CountedCall): void {
    this.#decided("refused", call);
  }

  /** `tryAcquire` answered no. */
  answeredNo(): void {
    this.#tally.answeredNo();
  }

  failed(error: unknown, call: CountedCall): void {
    this.#tally.failed(error, call.signal, this.#waitedMs(call), this.#named(call), call.priority);
  }

  #decided(result: "granted" | "refused", call: CountedCall): void {
    this.#tally.decided(result, this.#waitedMs(call), this.#named(call), call.priority);
  }

  #waitedMs({ sinceMs }: CountedCall): number {
    return this.#settings.runtime.now() - sinceMs;
  }

  #named({ units }: CountedCall): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#settings.limits.map(({ name }, index) => [name, units[index] as number]));
  }
}
