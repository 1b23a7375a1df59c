import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "./call.ts";
import { runStep, type StepPlan } from "./run-step.ts";
import { type Found, learned, nextRate, type SearchRange } from "./search.ts";
import { holds, type Objective, type Step } from "./step.ts";

/** How the capacity is looked for. */
export interface MeasurePlan extends Omit<StepPlan, "rate" | "durationMs"> {
  readonly range: SearchRange;
  readonly objective: Objective;
  /** Each rate is tried for so long, and longer where that is too few calls to tell the quantile. */
  readonly stepMs: number;
  /** All calls together. */
  readonly mostCalls: number;
}

/** What came out. */
export interface Measured {
  readonly steps: readonly Step[];
  readonly found: Found;
  /** Why the search ended before the knee was known. */
  readonly cut: "interrupted" | "too many calls" | "this machine is too slow" | undefined;
}

/** At so many calls beyond the quantile it is told from chance. */
const CALLS_BEYOND = 5;
/** A service that was overloaded is left alone for so long, so that the next rate meets no queue of the one before. */
const REST_MS = 500;

/** Tries one rate after the other until the knee is known. */
export async function measure(
  plan: MeasurePlan,
  caller: Caller,
  signal: AbortSignal,
  told: (next: { readonly rate: number; readonly seconds: number; readonly last: Step | undefined }) => void,
): Promise<Measured> {
  const { range, objective, mostCalls } = plan;
  const steps: Step[] = [];
  let found: Found = { holds: undefined, fails: undefined };
  let sent = 0;
  for (let rate = nextRate(found, range); rate !== undefined; rate = nextRate(found, range)) {
    const least = CALLS_BEYOND / (1 - objective.quantile) / 0.8;
    const durationMs = Math.max(plan.stepMs, (1000 * least) / rate);
    sent += (rate * durationMs) / 1000;
    if (sent > mostCalls) return { steps, found, cut: "too many calls" };
    told({ rate, seconds: durationMs / 1000, last: steps.at(-1) });
    const step = await runStep({ ...plan, rate, durationMs }, caller, objective, signal);
    if (signal.aborted) return { steps, found, cut: "interrupted" };
    steps.push(step);
    const held = holds(step, objective);
    // What is not sent in time is measured late, and the service is not to blame. Where it answers nothing well, it is.
    if (!held && step.lost < 1 && step.lateMs > objective.withinMs / 4)
      return { steps, found, cut: "this machine is too slow" };
    found = learned(found, rate, held);
    if (!held) await sleep(REST_MS, undefined, { signal }).catch(() => undefined);
  }
  return { steps, found, cut: undefined };
}
