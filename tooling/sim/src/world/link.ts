import { Random } from "../engine/random.ts";
import type { Timeline } from "../engine/timeline.ts";
import type { Cut } from "../plan/plan.ts";

/** The network between one host and the store. Faults change it; every message asks it for its fate. */
export class Link {
  cut: Cut | undefined;
  extraDelayMs = 0;
  lost = 0;
  twice = 0;
  late = 0;
  readonly #random: Random;
  readonly #latencyMs: number;
  readonly #churnMs: number;
  readonly #timeline: Timeline;

  /** Nothing arrives seconds late after `churnMs`: by then the network has healed. */
  constructor(seed: number, name: string, latencyMs: number, churnMs: number, timeline: Timeline) {
    this.#random = new Random(seed, `link ${name}`);
    this.#latencyMs = latencyMs;
    this.#churnMs = churnMs;
    this.#timeline = timeline;
  }

  /** Delays after which copies of a message arrive: none, one or two. */
  copies(): number[] {
    const random = this.#random;
    const delayMs = random.between(0.05, this.#latencyMs) + this.extraDelayMs * random.next();
    if (random.chance(this.lost)) return [];
    if (random.chance(this.late)) return [delayMs + this.#late(random.between(200, 15_000))];
    if (random.chance(this.twice)) return [delayMs, delayMs + this.#late(random.between(0, 5_000))];
    return [delayMs];
  }

  #late(delayMs: number): number {
    return Math.max(0, Math.min(delayMs, this.#churnMs - this.#timeline.nowMs));
  }

  heal(): void {
    this.cut = undefined;
    this.extraDelayMs = 0;
    this.lost = this.twice = this.late = 0;
  }
}
