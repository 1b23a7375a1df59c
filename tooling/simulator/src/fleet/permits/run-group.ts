import { Timeline } from "../engine/timeline.ts";
import { type GroupPlan, sitePlan } from "./group-plan.ts";
import { LedgerServer } from "./ledger-server.ts";
import type { PermitBug } from "./permit-bugs.ts";
import {
  checkAccount,
  checkOrder,
  checkSettled,
  checkSpacing,
  matchUses,
  type PermitViolation,
  type Seen,
} from "./permit-check.ts";
import type { PermitLink } from "./permit-link.ts";
import { PermitProcess } from "./permit-process.ts";

/** What came of one seed. */
export interface GroupRun {
  readonly granted: number;
  readonly stolen: number;
  readonly violations: readonly PermitViolation[];
}

/**
 * Runs one plan of several sites in virtual time and judges it: each part by itself, and each process over all of them.
 */
export async function runGroup(plan: GroupPlan, bug?: PermitBug): Promise<GroupRun> {
  const timeline = new Timeline();
  const servers = new Map(plan.sites.map(({ name }) => [name, new LedgerServer(timeline, plan.maxReserved, bug)]));
  const processes = plan.processes.map((_, i) => new PermitProcess(plan, i, timeline, servers, bug));
  for (const [name, server] of servers)
    server.onFreed = () => {
      for (const { links } of processes) links.get(name)?.hint();
    };
  await timeline.run(plan.activeMs + 8_000, () => false);
  const violations: PermitViolation[] = [];
  const say = (rule: string, detail: string): void => {
    violations.push({ rule, detail });
  };
  for (const [name, server] of servers) {
    const part = sitePlan(plan, name);
    const uses = processes.flatMap((process, i) => matchUses(part, server, seenAt(process, name), i, say));
    checkSpacing(part, uses, say);
    for (const { process, request } of server.made.values())
      if (processes[process]?.site !== name && (request.maxReserved > 0 || request.queueMs > 0))
        say("bias", `process ${process} reserved ahead at ${name}`);
    if (plan.profile === "clean" && server.ahead() > 0)
      say("leak", `${server.ahead()} are reserved for nobody at ${name}`);
    if (plan.profile === "clean" && server.inQueue() > 0)
      say("leak", `${server.inQueue()} stand in the queue at ${name}`);
  }
  for (const [i, process] of processes.entries()) {
    const own = seenAt(process, process.site);
    checkOrder({ ...own, crowd: process.crowd }, i, say);
    checkSettled({ ...own, crowd: process.crowd }, i, say);
    if (process.host.crashed) continue;
    for (const { name } of plan.sites)
      checkAccount(seenAt(process, name), name === process.site ? process.pacer.wasted : 0, i, say);
    if (!process.closed) say("hang", `close of process ${i} never ended`);
    if (process.host.liveTimers > 0) say("timers", `${process.host.liveTimers} timers of process ${i} after its close`);
    const stolen = process.crowd.calls.filter(({ site }) => site !== undefined && site !== process.site).length;
    if (stolen !== process.pacer.stolen)
      say("stolen", `process ${i} took ${stolen}, and calls it ${process.pacer.stolen}`);
    for (const surprise of process.crowd.surprises) say("error", `process ${i}: ${surprise}`);
  }
  const granted = processes.flatMap(({ crowd }) => crowd.calls).filter(({ outcome }) => outcome === "granted").length;
  return { granted, stolen: processes.reduce((sum, { pacer }) => sum + pacer.stolen, 0), violations };
}

/** A process as far as it concerns one site. */
function seenAt({ crowd, host, links }: PermitProcess<GroupPlan>, name: string): Seen {
  const calls = crowd.calls.filter(({ site }) => site === name);
  return { host, link: links.get(name) as PermitLink, crowd: { calls, surprises: [] } };
}
