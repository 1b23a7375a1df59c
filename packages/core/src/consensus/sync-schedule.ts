import type { Timer } from "../runtime/runtime.ts";
import type { MembershipSettings } from "./membership-settings.ts";

/** After learning of a new generation, the report follows within this time (jittered) instead of a whole interval. */
export const PROMPT_MS = 100;

/** A timer that fires so late shows that the process stood still: no event loop is that busy by its work alone. */
const STOOD_STILL_MS = 1_500;

/** When the next background call comes. */
export class SyncSchedule {
  readonly #settings: MembershipSettings;
  readonly #call: () => Promise<void>;
  readonly #stoodStill: (forMs: number) => void;
  #timer: Timer | undefined;
  #timerAtMs = 0;

  /** @param stoodStill told, before the call, when the process did nothing for so long */
  constructor(settings: MembershipSettings, call: () => Promise<void>, stoodStill: (forMs: number) => void) {
    this.#settings = settings;
    this.#call = call;
    this.#stoodStill = stoodStill;
  }

  /** Within `withinMs` (jittered) after `afterMs`, if it is not due earlier anyway. */
  soon(withinMs: number, afterMs = 0): void {
    this.#arm(afterMs + withinMs * (0.5 + this.#settings.runtime.random() / 2));
  }

  /** A sync interval from now (jittered). */
  next(): void {
    const { syncIntervalMs, runtime } = this.#settings;
    this.#arm(syncIntervalMs * (0.9 + 0.1 * runtime.random()));
  }

  /** After so many failures in a row: soon, then less and less often. */
  retry(failures: number): void {
    const { syncIntervalMs, runtime } = this.#settings;
    const backoffMs = Math.min(syncIntervalMs, PROMPT_MS * 2 ** Math.min(failures - 1, 10));
    this.#arm(backoffMs * (0.5 + runtime.random() / 2));
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Arms the timer, unless it is due earlier already. It never keeps the process alive by itself. */
  #arm(delayMs: number): void {
    const { runtime } = this.#settings;
    const atMs = runtime.now() + delayMs;
    if (this.#timer && this.#timerAtMs <= atMs) return;
    this.#timer?.cancel();
    this.#timerAtMs = atMs;
    this.#timer = runtime.setTimer(
      () => {
        this.#timer = undefined;
        const lateMs = runtime.now() - atMs;
        if (lateMs >= STOOD_STILL_MS) this.#stoodStill(lateMs);
        this.#call().catch(() => undefined);
      },
      delayMs,
      { keepAlive: false },
    );
  }
}
