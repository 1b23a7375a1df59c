import type { Random } from "../../random.ts";
import type { Timeline } from "../engine/timeline.ts";
import type { Host } from "./sim-runtime.ts";

/**
 * A process as its host runs it: it can be paused, and it can end. What comes while it is paused happens when it goes
 * on; what comes after its end never does.
 */
export class Machine implements Host {
  readonly #timeline: Timeline;
  readonly #random: Random;
  #backlog: { readonly kind: "timer" | "message"; readonly run: () => void }[] = [];
  #state: "running" | "paused" | "gone" = "running";
  /** How long after it goes on messages come. */
  #networkMs = 0;

  constructor(timeline: Timeline, random: Random) {
    this.#timeline = timeline;
    this.#random = random;
  }

  get gone(): boolean {
    return this.#state === "gone";
  }

  get frozen(): boolean {
    return this.#state === "paused";
  }

  deliver(kind: "timer" | "message", run: () => void): void {
    if (this.#state === "paused") this.#backlog.push({ kind, run });
    else if (this.#state === "running") run();
  }

  /** @param networkMs how long after that the network is there again */
  pause(forMs: number, networkMs = 0): void {
    if (this.#state !== "running") return;
    this.#state = "paused";
    this.#networkMs = networkMs;
    this.#timeline.after(forMs, () => this.resume());
  }

  /**
   * Goes on: what came meanwhile happens one by one, either all timers first or all messages first, as an event loop
   * may have it.
   */
  resume(): void {
    if (this.#state !== "paused") return;
    this.#state = "running";
    const first = this.#random.chance(0.5) ? "timer" : "message";
    const backlog = this.#backlog;
    this.#backlog = [];
    const ordered = [
      ...backlog.filter((item) => item.kind === first),
      ...backlog.filter((item) => item.kind !== first),
    ];
    let delayMs = 0;
    for (const item of ordered) {
      delayMs += this.#random.between(0, 0.02);
      const afterMs = item.kind === "message" ? this.#networkMs + delayMs : delayMs;
      this.#timeline.after(afterMs, () => this.deliver(item.kind, item.run));
    }
  }

  /** Everything of it vanishes; messages under way still arrive. */
  crash(): void {
    this.#state = "gone";
    this.#backlog = [];
  }
}
