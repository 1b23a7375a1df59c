import type { Random } from "../../random.ts";
import type { Timeline } from "../engine/timeline.ts";
import type { Cut } from "../plan/plan.ts";

/** How a network is while nothing is wrong with it. */
export interface LinkSettings {
  /** Usual one-way delay of a message, at most. */
  readonly latencyMs: number;
  /** Probability that a message is lost. Default 0. */
  readonly lost?: number;
  /**
   * World time from which on nothing is lost, nor arrives seconds late: by then the network has healed. Default never.
   */
  readonly healedMs?: number;
}

/** The network between one host and the store. Faults change it; every message asks it for its fate. */
export class Link {
  cut: Cut | undefined;
  extraDelayMs = 0;
  /**
   * Requests take so much longer than replies: a clock that is learned from such round trips is ahead by half of it.
   */
  requestDelayMs = 0;
  lost = 0;
  twice = 0;
  late = 0;
  readonly #random: Random;
  readonly #latencyMs: number;
  readonly #usuallyLost: number;
  readonly #healedMs: number;
  readonly #timeline: Timeline;

  constructor(timeline: Timeline, random: Random, settings: LinkSettings) {
    this.#timeline = timeline;
    this.#random = random;
    this.#latencyMs = settings.latencyMs;
    this.#usuallyLost = settings.lost ?? 0;
    this.#healedMs = settings.healedMs ?? Number.POSITIVE_INFINITY;
  }

  /** Delays after which copies of a message arrive: none, one or two. */
  copies(direction: "request" | "reply"): number[] {
    const random = this.#random;
    const always = this.#timeline.nowMs < this.#healedMs ? this.#usuallyLost : 0;
    const usualMs = random.between(0.05, this.#latencyMs) + (direction === "request" ? this.requestDelayMs : 0);
    const slowMs = this.extraDelayMs * random.next();
    if (random.chance(Math.max(this.lost, always))) return [];
    const after = (extraMs: number): number =>
      usualMs + Math.max(0, Math.min(slowMs + extraMs, this.#healedMs - this.#timeline.nowMs));
    if (random.chance(this.late)) return [after(random.between(200, 15_000))];
    if (random.chance(this.twice)) return [after(0), after(random.between(0, 5_000))];
    return [after(0)];
  }

  heal(): void {
    this.cut = undefined;
    this.extraDelayMs = 0;
    this.requestDelayMs = 0;
    this.lost = this.twice = this.late = 0;
  }
}
