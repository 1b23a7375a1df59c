import type { Runtime } from "@dt/core";
import type { Random } from "../../random.ts";
import type { Timeline } from "../engine/timeline.ts";
import { SimRuntime } from "../world/sim-runtime.ts";
import type { ProcessPlan } from "./permit-plan.ts";

/** How far clocks drift: as much as quartz does. */
export const DRIFT = 0.0002;

/** Timers of a process come at most this late. */
export const LATE_MS = 13;

/** What a process runs on: a clock of its own, timers that are counted, pauses and an end. */
export class ProcessHost {
  readonly runtime: Runtime;
  readonly #plan: ProcessPlan;
  readonly #timeline: Timeline;
  #liveTimers = 0;

  constructor(plan: ProcessPlan, timeline: Timeline, random: Random) {
    this.#plan = plan;
    this.#timeline = timeline;
    const deliver = (_kind: string, run: () => void): void => this.deliver(run);
    const runtime = new SimRuntime(timeline, { deliver }, random, DRIFT, plan.bootReading);
    this.runtime = this.#counting(runtime);
    const { sleep } = plan;
    if (sleep) timeline.at(sleep.fromMs, () => runtime.suspend(sleep.untilMs - sleep.fromMs));
  }

  get crashed(): boolean {
    return this.#timeline.nowMs >= this.#plan.crashAtMs;
  }

  get liveTimers(): number {
    return this.#liveTimers;
  }

  /** When this process, asleep at `atMs`, wakes. */
  awakeAt(atMs: number): number {
    let awakeMs = atMs;
    const { pauses, sleep } = this.#plan;
    for (const { fromMs, untilMs } of [...pauses, ...(sleep ? [sleep] : [])].sort((a, b) => a.fromMs - b.fromMs))
      if (fromMs <= awakeMs && awakeMs < untilMs) awakeMs = untilMs;
    return awakeMs;
  }

  /**
   * When a time of its own clock comes that would come at `dueMs`, said at `sinceMs`: later, if it sleeps in between.
   */
  afterSleep(sinceMs: number, dueMs: number): number {
    const { sleep } = this.#plan;
    if (!sleep || sleep.untilMs <= sinceMs || sleep.fromMs >= dueMs) return dueMs;
    return dueMs + sleep.untilMs - Math.max(sinceMs, sleep.fromMs);
  }

  /** Runs now, when the process wakes, or never. */
  deliver(run: () => void): void {
    if (this.crashed) return;
    const awakeMs = this.awakeAt(this.#timeline.nowMs);
    if (awakeMs > this.#timeline.nowMs) this.#timeline.at(awakeMs, () => this.deliver(run));
    else run();
  }

  #counting(runtime: Runtime): Runtime {
    return {
      now: () => runtime.now(),
      random: () => runtime.random(),
      ...(runtime.bootTimeMs && { bootTimeMs: runtime.bootTimeMs }),
      setTimer: (callback, delayMs) => {
        let live = true;
        this.#liveTimers += 1;
        const end = (): void => {
          if (live) this.#liveTimers -= 1;
          live = false;
        };
        const timer = runtime.setTimer(() => {
          end();
          callback();
        }, delayMs);
        return {
          cancel: () => {
            end();
            timer.cancel();
          },
        };
      },
    };
  }
}
