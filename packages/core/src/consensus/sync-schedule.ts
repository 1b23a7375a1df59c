import type { Timer } from "../runtime/runtime.ts";
import type { MembershipSettings } from "./membership-settings.ts";

/** After learning of a new generation, the report follows within this time (jittered) instead of a whole interval. */
export const PROMPT_MS = 100;

/** When the next background call comes. */
export class SyncSchedule {
  readonly #settings: MembershipSettings;
  readonly #call: () => Promise<void>;
  #timer: Timer | undefined;
  #timerAtMs = 0;

  constructor(settings: MembershipSettings, call: () => Promise<void>) {
    this.#settings = settings;
    this.#call = call;
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
        this.#call().catch(() => undefined);
      },
      delayMs,
      { keepAlive: false },
    );
  }
}
