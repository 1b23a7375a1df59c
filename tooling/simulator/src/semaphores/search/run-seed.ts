import { scheduleFaults } from "./faults.ts";
import type { NamedStates } from "./in-flight.ts";
import { CHURN_MS, type SearchPlan, TIMES } from "./plan.ts";
import { type Run, type SlotViolation, SlotWorld } from "./world.ts";

/** What came of one run. */
export interface Outcome {
  readonly seed: number;
  readonly violations: readonly SlotViolation[];
  /** Calls that began. */
  readonly begun: number;
  readonly states: NamedStates;
}

/** After churn: until members are stale that are gone, a group has learned, and callers have what is free. */
const CALM_MS = 2 * TIMES.staleAfter + 2_000;
/** Calls of this length are short. Even those that take ten times as long let no caller wait for so long. */
const SHORT_MS = 50;
const PATIENT_MS = 15_000;
/** How long it is looked then whether all slots are used. */
const LOOK_MS = 5_000;

/** Runs a plan to its end, or to its first violation. */
export async function runPlan(plan: SearchPlan, run: Run = {}): Promise<Outcome> {
  const world = new SlotWorld(plan, run);
  const { timeline, inFlight, violations } = world;
  const halt = (): boolean => violations.length > 0;
  const onError = (error: unknown): void => world.report("exception", String((error as Error)?.stack ?? error));
  process.on("unhandledRejection", onError);
  process.on("uncaughtException", onError);
  try {
    for (const { name, startMs } of plan.hosts) timeline.at(startMs, () => world.boot(name));
    scheduleFaults(world);
    await timeline.run(CHURN_MS, halt);
    world.heal();
    await timeline.run(CHURN_MS + CALM_MS, halt);
    if (!halt()) checkWaits(world);
    if (!halt()) await checkUse(world, halt);
    const { seed } = plan;
    return { seed, violations, begun: inFlight.begun, states: inFlight.states };
  } finally {
    process.off("unhandledRejection", onError);
    process.off("uncaughtException", onError);
  }
}

/**
 * Once nothing goes wrong any more, all slots that are wanted come into use: none is lost. Without hints a slot that
 * goes round lies idle now and then. Slots of a process whose first caller waits for more lie idle by design.
 */
async function checkUse(world: SlotWorld, halt: () => boolean): Promise<void> {
  const { timeline, inFlight, plan } = world;
  if (plan.settings.dearest > 1) return;
  let least = Number.POSITIVE_INFINITY;
  const isFull = (): boolean => {
    least = Math.min(least, inFlight.free(plan.store === "V1"));
    return least === 0 || halt();
  };
  await timeline.run(timeline.nowMs + LOOK_MS, isFull);
  if (!isFull()) world.report("use", `${least} slots that callers wait for were free all the time: ${inFlight.text()}`);
}

/**
 * Where calls are short, each caller gets its slots, also a costly one. Without a queue that may take long; so it may
 * beside a costly caller, where no hint tells a member that its turn has come.
 */
function checkWaits(world: SlotWorld): void {
  const { plan, processes, timeline } = world;
  const { holdMs, dearest } = plan.settings;
  if (plan.store === "V0" || holdMs > SHORT_MS || (dearest > 1 && plan.store !== "V1")) return;
  // Those of a higher priority may keep others waiting for as long as they come.
  for (const { label, gone, isDraining, waiting } of processes)
    for (const { cost, priority, sinceMs } of gone || isDraining ? [] : waiting)
      if (priority >= 0 && sinceMs < timeline.nowMs - PATIENT_MS)
        world.report("waits", `a caller of ${label} has waited for ${cost} slots since ${sinceMs.toFixed(0)} ms`);
}
