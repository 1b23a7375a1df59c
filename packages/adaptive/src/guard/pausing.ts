import type { PauseEnd } from "@dt/core";
import { type Events, pauseMsOf } from "@dt/core/internal";
import type { Verdict } from "../outcome/classify.ts";
import { isPausable, type Pausable, pauseAll } from "../pausable.ts";
import type { GuardSettings } from "./guard-options.ts";
import type { GuardEvents } from "./guard-status.ts";
import type { Pause } from "./pause.ts";
import { Refusals } from "./refusals.ts";

/** A pause that becomes longer by less than so much, in milliseconds, is no event: several answers tell of one. */
const NEWS_MS = 1;

/** What begins the pauses of a guard: its callee, and its callers. */
export class Pausing {
  readonly #settings: GuardSettings;
  readonly #pause: Pause;
  readonly #events: Events<GuardEvents>;
  readonly #callBack: () => void;
  readonly #refusals: Refusals;
  /** The parts that pause in the whole fleet. */
  readonly #fleet: readonly Pausable[];

  /** @param callBack called when a pause begins, or lasts longer than before */
  constructor(settings: GuardSettings, pause: Pause, events: Events<GuardEvents>, callBack: () => void) {
    const { runtime, refusalPauseMs, semaphore, pacer, throttle, alsoPause = [] } = settings;
    this.#settings = settings;
    this.#pause = pause;
    this.#events = events;
    this.#callBack = callBack;
    this.#refusals = new Refusals(runtime, refusalPauseMs);
    const parts: readonly unknown[] = [semaphore, pacer, throttle];
    this.#fleet = [...parts.filter(isPausable), ...alsoPause];
  }

  /** Pauses for as long as the callee reported, or as a refusal without a time means; returns how long. */
  received({ outcome, refused, retryAfterMs }: Verdict, wentOutMs: number | undefined): number {
    if (outcome === "success") this.#refusals.succeeded();
    if (retryAfterMs !== undefined) return this.pauseFor(retryAfterMs);
    const isRefused = outcome === "overload" && refused && wentOutMs !== undefined;
    return this.pauseFor(isRefused ? this.#refusals.refused(wentOutMs) : 0);
  }

  /** Pauses this guard; returns for how long, in milliseconds. */
  pauseFor(ms: number): number {
    const forMs = Math.min(ms, this.#settings.maxPauseMs);
    const longerMs = forMs - this.#pause.restMs;
    if (!this.#pause.lengthen(forMs)) return forMs;
    this.#callBack();
    if (longerMs >= NEWS_MS && this.#events.has("paused")) this.#events.emit("paused", { forMs });
    return forMs;
  }

  /** Pauses this guard, and in the whole fleet the parts that can. */
  pauseUntil(until: PauseEnd): void {
    const forMs = this.pauseFor(pauseMsOf(until, this.#settings.runtime));
    if (forMs > 0) pauseAll(this.#fleet, forMs);
  }
}
