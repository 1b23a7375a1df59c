import { checkDemandShares, lacking } from "../check/demand-shares.ts";
import {
  agreementBoundMs,
  calmDown,
  checkAgreement,
  checkSettled,
  checkUtilisation,
  members,
} from "../check/liveness.ts";
import type { Violation } from "../check/violation.ts";
import type { Plan } from "../plan/plan.ts";
import { scheduleFaults } from "../world/faults.ts";
import { type Run, World } from "../world/world.ts";

/** How often it is looked again whether somebody has too little. */
const LOOKS = 8;

/** What came of one run. */
export interface Outcome {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** Largest ratio of tokens granted in an epoch to the `max` in force, and how many epochs were above 1. */
  readonly worstOvershoot: number;
  readonly epochsAbove: number;
  /** Tokens granted while there was churn, of those that could have been. */
  readonly utilisation: number;
}

/** Runs a plan to its end, or to its first violation. */
export async function runPlan(plan: Plan, run: Run = {}): Promise<Outcome> {
  const world = new World(plan, run);
  const { timeline, checker } = world;
  const halt = (): boolean => checker.violations.length > 0;
  const onError = (error: unknown): void => checker.report("exception", String((error as Error)?.stack ?? error));
  process.on("unhandledRejection", onError);
  process.on("uncaughtException", onError);
  try {
    for (const { name, startMs, caller } of plan.members) timeline.at(startMs, () => world.boot(name, caller));
    scheduleFaults(world);
    const { intervalMs } = plan.settings;
    await timeline.run(plan.churnMs, halt);
    const utilisation = utilisationOf(world);
    calmDown(world);
    await timeline.run(plan.churnMs + agreementBoundMs(world), halt);
    if (!halt()) checkAgreement(world);
    const epoch = Math.floor(world.store.groupTimeMs / intervalMs);
    await timeline.run(timeline.nowMs + 4 * intervalMs, halt);
    if (!halt()) for (const later of [2, 3]) checkUtilisation(world, epoch + later);
    if (plan.settings.shares) await checkWhoLacks(world, halt);
    if (!halt()) world.checkCounts();
    const hadMembers = members(world).length > 0;
    for (const running of world.alive) if (running.state === "running") world.stop(running);
    await timeline.run(timeline.nowMs + 2 * plan.settings.storeTimeoutMs + 100, halt);
    if (!halt()) checkSettled(world, hadMembers);
    const above = checker.book.all.filter((record) => record.peak > record.limit);
    return {
      seed: plan.seed,
      violations: checker.violations,
      worstOvershoot: checker.book.all.reduce(
        (worst, record) => Math.max(worst, record.limit > 0 ? record.peak / record.limit : 0),
        0,
      ),
      epochsAbove: above.length,
      utilisation,
    };
  } finally {
    process.off("unhandledRejection", onError);
    process.off("uncaughtException", onError);
  }
}

/** Looks again after each sync interval. */
async function checkWhoLacks(world: World, halt: () => boolean): Promise<void> {
  const samples = [lacking(world)];
  for (let left = LOOKS; left > 0 && !halt(); left--) {
    await world.timeline.run(world.timeline.nowMs + world.plan.settings.syncIntervalMs, halt);
    samples.push(lacking(world));
  }
  if (!halt()) checkDemandShares(world, samples);
}

/** Tokens granted since the first process booted, as a part of those that the `max` in force allowed in every epoch. */
function utilisationOf(world: World): number {
  const { settings, members } = world.plan;
  const sinceMs = world.timeline.nowMs - Math.min(...members.map((member) => member.startMs));
  const used = world.checker.book.all.reduce(
    (sum, { net, limit }) => sum + (limit > 0 ? Math.min(1, net / limit) : 0),
    0,
  );
  return used / Math.max(1, sinceMs / settings.intervalMs);
}
