import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "./call.ts";
import { type Objective, type SeenCall, type Step, summarise } from "./step.ts";

/** How a rate is tried. */
export interface StepPlan {
  readonly rate: number;
  readonly durationMs: number;
  /** Evenly spaced, or at random instants as independent users come (a Poisson process). */
  readonly arrivals: "even" | "poisson";
  /** With more in flight than this the service has lost already, and is spared the rest. */
  readonly mostInflight: number;
  readonly random: () => number;
}

/**
 * Sends calls at a rate, whether earlier ones were answered or not: load that waits for answers would slow down with
 * the service and hide how late they are. Ends early where the objective is lost for certain. Returns when every call
 * has ended.
 */
export async function runStep(
  plan: StepPlan,
  caller: Caller,
  objective: Objective,
  signal: AbortSignal,
): Promise<Step> {
  const { rate, durationMs, arrivals, mostInflight, random } = plan;
  const gapMs = (): number => (arrivals === "even" ? 1 : -Math.log(1 - random())) * (1000 / rate);
  const mostLate = (1 - objective.quantile) * ((rate * durationMs) / 1000);
  const seen: SeenCall[] = [];
  const ends: Promise<void>[] = [];
  let inflight = 0;
  let late = 0;
  let ended: Step["ended"];
  const begin = performance.now();
  const send = (dueMs: number): void => {
    const sentMs = performance.now() - begin;
    inflight += 1;
    ends.push(
      caller.call(signal).then((outcome) => {
        const endedMs = performance.now() - begin;
        inflight -= 1;
        const ok = outcome === "success";
        if (!ok || endedMs - sentMs > objective.withinMs) late += 1;
        seen.push({ dueMs, sentMs, endedMs, ok });
      }),
    );
  };
  let nowMs = 0;
  for (let dueMs = gapMs(); dueMs < durationMs && !signal.aborted; dueMs += gapMs()) {
    if (dueMs > nowMs) {
      await sleep(dueMs - nowMs, undefined, { signal }).catch(() => undefined);
      nowMs = performance.now() - begin;
    }
    if (inflight >= mostInflight) ended = "too many in flight";
    // Twice as many as may be: by chance a part of the time has more of them than the whole.
    else if (late > 20 && late > 2 * mostLate) ended = "too many late";
    if (ended !== undefined) break;
    send(dueMs);
  }
  const untilMs = Math.min(durationMs, performance.now() - begin);
  await Promise.all(ends);
  return summarise(rate, seen, untilMs, objective, ended);
}
