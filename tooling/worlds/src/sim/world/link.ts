import { Random } from "../../random.ts";
import type { Timeline } from "../engine/timeline.ts";
import type { Cut, Plan } from "../plan/plan.ts";

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
  readonly #plan: Plan;
  readonly #timeline: Timeline;

  /** Nothing is lost, nor arrives seconds late, once churn is over: by then the network has healed. */
  constructor(plan: Plan, name: string, timeline: Timeline) {
    this.#random = new Random(plan.seed, `link ${name}`);
    this.#plan = plan;
    this.#timeline = timeline;
  }

  /** Delays after which copies of a message arrive: none, one or two. */
  copies(direction: "request" | "reply"): number[] {
    const random = this.#random;
    const { settings, churnMs } = this.#plan;
    const always = this.#timeline.nowMs < churnMs ? settings.lost : 0;
    const usualMs = random.between(0.05, settings.latencyMs) + (direction === "request" ? this.requestDelayMs : 0);
    const slowMs = this.extraDelayMs * random.next();
    if (random.chance(Math.max(this.lost, always))) return [];
    const after = (extraMs: number): number =>
      usualMs + Math.max(0, Math.min(slowMs + extraMs, churnMs - this.#timeline.nowMs));
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
