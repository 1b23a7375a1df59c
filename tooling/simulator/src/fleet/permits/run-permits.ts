import { Timeline } from "../engine/timeline.ts";
import { LedgerServer } from "./ledger-server.ts";
import type { PermitBug } from "./permit-bugs.ts";
import { checkPermits, type PermitViolation } from "./permit-check.ts";
import type { PermitPlan } from "./permit-plan.ts";
import { ONLY_SITE, PermitProcess } from "./permit-process.ts";

/** What came of one seed. */
export interface PermitRun {
  readonly granted: number;
  readonly wasted: number;
  readonly violations: readonly PermitViolation[];
}

/** After everything is closed, whatever may still be under way has come or been given up by then. */
const QUIET_MS = 8_000;

/** Runs one plan in virtual time and judges it. */
export async function runPermits(plan: PermitPlan, bug?: PermitBug): Promise<PermitRun> {
  const timeline = new Timeline();
  const server = new LedgerServer(timeline, plan.maxReserved, bug);
  const servers = new Map([[ONLY_SITE, server]]);
  const processes = plan.processes.map((_, i) => new PermitProcess(plan, i, timeline, servers, bug));
  server.onFreed = () => {
    for (const { link } of processes) link.hint();
  };
  await timeline.run(plan.activeMs + QUIET_MS, () => false);
  const violations = checkPermits(plan, server, processes);
  const next = await probe(plan, timeline, server);
  return {
    granted: processes.flatMap(({ crowd }) => crowd.calls).filter(({ outcome }) => outcome === "granted").length,
    wasted: processes.reduce((sum, { pacer }) => sum + pacer.wasted, 0),
    violations: next === undefined ? violations : [...violations, next],
  };
}

/**
 * When everybody is gone and what they had reserved is past, a newcomer finds a free permit at once: nothing blocks it
 * for good.
 */
async function probe(plan: PermitPlan, timeline: Timeline, server: LedgerServer): Promise<PermitViolation | undefined> {
  const stepMs = plan.everyMs + (plan.strict ? plan.permitTtlMs : 0);
  await timeline.run(timeline.nowMs + (plan.maxReserved + 4) * 2 * stepMs, () => false);
  const request = { id: "probe", count: 1, cost: 1, everyMs: stepMs, burst: 1, maxReserved: 0, keepMs: 1, queueMs: 0 };
  const { granted, retryAfterMs } = server.reserve(-1, request);
  return granted === 1 ? undefined : { rule: "leak", detail: `a newcomer must wait ${retryAfterMs} ms` };
}
