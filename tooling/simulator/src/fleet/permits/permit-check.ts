import type { CallerCrowd } from "./caller-crowd.ts";
import { type LedgerServer, type Made, STORE_START_MS } from "./ledger-server.ts";
import type { PermitLink } from "./permit-link.ts";
import type { PermitPlan } from "./permit-plan.ts";
import type { PermitProcess } from "./permit-process.ts";
import { DRIFT, LATE_MS, type ProcessHost } from "./process-host.ts";

/** A broken promise. */
export interface PermitViolation {
  readonly rule: string;
  readonly detail: string;
}

/** A permit used, at an instant that was reserved for it. */
interface Use {
  readonly instantMs: number;
  readonly usedMs: number;
  readonly cost: number;
}

/** Judges what happened, from the server's and the callers' point of view; knows nothing of how a pacer works. */
export function checkPermits(
  plan: PermitPlan,
  server: LedgerServer,
  processes: readonly PermitProcess<PermitPlan>[],
): PermitViolation[] {
  const violations: PermitViolation[] = [];
  const say = (rule: string, detail: string): void => {
    violations.push({ rule, detail });
  };
  const uses = processes.flatMap((process, index) => matchUses(plan, server, process, index, say));
  checkSpacing(plan, uses, say);
  if (server.beyondBound > 1e-6)
    say("bound", `${server.beyondBound} permits too many reserved ahead of ${plan.maxReserved}`);
  for (const [index, process] of processes.entries()) {
    checkOrder(process, index, say);
    checkSettled(process, index, say);
    if (process.host.crashed) continue;
    checkAccount(process, process.pacer.wasted, index, say);
    if (!process.closed) say("hang", `close of process ${index} never ended`);
    if (process.host.liveTimers > 0)
      say("timers", `${process.host.liveTimers} timers of process ${index} after its close`);
    if (process.link.listeners > 0) say("listeners", `process ${index} still listens after its close`);
    for (const surprise of process.crowd.surprises) say("error", `process ${index}: ${surprise}`);
  }
  if (plan.profile !== "storm" && server.ahead() > 0) say("leak", `${server.ahead()} instants are reserved for nobody`);
  const ample = plan.everyMs > 10 && plan.permitTtlMs >= 100;
  const wasted = processes.reduce((sum, { pacer }) => sum + pacer.wasted, 0);
  if (plan.profile !== "storm" && ample && wasted > 0) say("waste", `${wasted} permits were wasted for no reason`);
  if (plan.profile !== "storm" && server.inQueue() > 0)
    say("leak", `${server.inQueue()} stand in the queue for nobody`);
  if (plan.profile === "busy") checkShares(plan, processes, say);
  return violations;
}

/** What the checks look at of a process. */
export interface Seen {
  readonly crowd: Pick<CallerCrowd, "calls" | "surprises">;
  readonly host: Pick<ProcessHost, "afterSleep" | "awakeAt" | "crashed" | "liveTimers">;
  readonly link: Pick<PermitLink, "asked" | "listeners">;
}

export type Say = (rule: string, detail: string) => void;

/**
 * Every use has a reserved instant of its own, which had come, no longer than permitTtl ago. Instants all live equally
 * long, so the earliest that fits is as good as any.
 */
export function matchUses(plan: PermitPlan, server: LedgerServer, process: Seen, index: number, say: Say): Use[] {
  const matched: Use[] = [];
  const free: { atMs: number; cost: number; slackMs: number }[] = [];
  for (const made of server.made.values()) if (made.process === index) free.push(...usable(made, process));
  free.sort((a, b) => a.atMs - b.atMs);
  const granted = process.crowd.calls.filter(({ outcome }) => outcome === "granted");
  for (const { cost, settledMs } of granted.sort((a, b) => a.settledMs - b.settledMs)) {
    const usedMs = STORE_START_MS + settledMs;
    const charged = chargeOf(plan, cost);
    const place = free.findIndex(
      (one) =>
        Math.abs(one.cost - charged) < 1e-9 &&
        usedMs <= one.atMs + plan.permitTtlMs + one.slackMs &&
        one.atMs <= usedMs + one.slackMs,
    );
    const [instant] = place < 0 ? [] : free.splice(place, 1);
    if (instant) matched.push({ instantMs: instant.atMs, usedMs, cost });
    else
      say(
        "life",
        `process ${index} used a permit of cost ${cost} at ${settledMs} without an instant that had come and lived`,
      );
  }
  return matched;
}

/** A strict pacer charges the life of each permit once, whatever it costs. */
function chargeOf({ strict, everyMs, permitTtlMs }: PermitPlan, cost: number): number {
  return strict ? (cost * everyMs + permitTtlMs) / (everyMs + permitTtlMs) : cost;
}

function usable(made: Made, process: Seen): { atMs: number; cost: number; slackMs: number }[] {
  const asked = process.link.asked.get(made.id);
  const kept = asked?.answer === "granted" ? asked.kept : 0;
  return made.instants.slice(0, kept).map((atMs) => ({
    atMs,
    cost: made.request.cost,
    slackMs: 0.01 + 2 * DRIFT * Math.max(0, atMs - made.reservation.storeTimeMs),
  }));
}

/** Half of what lies between two numbers of the size of the store's time: so far off may each sum of times be. */
const ROUNDING_MS = 2 ** -13;

/** The instants used keep the distance (GCRA); with `strict` the uses themselves do. */
export function checkSpacing(plan: PermitPlan, uses: readonly Use[], say: Say): void {
  const { everyMs, burst, strict, permitTtlMs } = plan;
  const stepMs = everyMs + (strict ? permitTtlMs : 0);
  let tatMs = 0;
  let inARow = 0;
  // Of those at one instant the cheapest come first: they need a whole unit of the burst and take less than that.
  for (const { instantMs, cost } of [...uses].sort((a, b) => a.instantMs - b.instantMs || a.cost - b.cost)) {
    const charged = chargeOf(plan, cost);
    inARow = instantMs >= tatMs ? 0 : inARow + 1;
    const slackMs = 0.01 + inARow * ROUNDING_MS;
    if (instantMs < tatMs - (burst - Math.min(Math.max(charged, 1), burst)) * stepMs - slackMs)
      say(
        "spacing",
        `an instant used at ${instantMs - STORE_START_MS} (cost ${cost}) comes ${tatMs - instantMs} ms before the theoretical arrival time`,
      );
    tatMs = Math.max(tatMs, instantMs) + charged * stepMs;
  }
  if (!strict || burst > 1) return;
  const used = [...uses].sort((a, b) => a.usedMs - b.usedMs);
  for (const [i, { usedMs, cost }] of used.entries()) {
    const next = used[i + 1];
    // Clocks may drift while they wait.
    if (next && next.usedMs < usedMs + cost * everyMs - 0.02 - 8 * DRIFT * 100 * stepMs)
      say("strict", `uses ${next.usedMs - usedMs} ms apart`);
  }
}

/** Among callers of one cost the highest priority is served first, and of one priority the one that came first. */
export function checkOrder(process: Seen, index: number, say: Say): void {
  for (const cost of new Set(process.crowd.calls.map((call) => call.cost))) {
    const served = process.crowd.calls
      .map((call, place) => ({ ...call, place }))
      .filter((call) => call.kind === "acquire" && call.cost === cost && call.outcome === "granted")
      .sort((a, b) => b.settledMs - a.settledMs);
    /** Of each priority the one that came first, among the callers that were served later than the one looked at. */
    const later = new Map<number, Served>();
    let soon: Served[] = [];
    for (const call of served) {
      if (call.settledMs < (soon[0]?.settledMs ?? call.settledMs)) {
        for (const one of soon)
          if (one.place < (later.get(one.priority)?.place ?? one.place + 1)) later.set(one.priority, one);
        soon = [];
      }
      soon.push(call);
      const before = [...later.values()].find((other) => isBefore(other, call));
      if (before)
        say(
          "order",
          `process ${index} served a caller of ${call.enteredMs} (priority ${call.priority}) before one of ${before.enteredMs} (${before.priority})`,
        );
    }
  }
}

/** A granted call and its place among those that came. */
type Served = CallerCrowd["calls"][number] & { readonly place: number };

/** True where a caller should have been served before another one that was there, too. */
function isBefore(other: Served, call: Served): boolean {
  if (other.priority === call.priority) return other.place < call.place;
  return other.priority > call.priority && other.enteredMs < call.settledMs;
}

export function checkSettled(process: Seen, index: number, say: Say): void {
  for (const { kind, outcome, enteredMs, settledMs, deadlineMs } of process.crowd.calls) {
    if (outcome === "pending" && process.host.crashed) continue;
    const dueMs = process.host.afterSleep(enteredMs, deadlineMs);
    if (settledMs > process.host.awakeAt(dueMs + LATE_MS) + 2 * LATE_MS)
      say("hang", `${kind} of process ${index} at ${enteredMs}, due by ${deadlineMs}: ${outcome} at ${settledMs}`);
  }
}

/** Every instant that a process was told of was used, wasted and counted so, or given back. */
export function checkAccount({ link, crowd }: Seen, wasted: number, index: number, say: Say): void {
  let kept = 0;
  for (const [id, { answer, granted, kept: held, queues }] of link.asked) {
    if (answer === "granted") kept += Math.min(granted, held);
    else if (held > 0 && (queues || answer === "unknown"))
      say("left", `process ${index} left request ${id} as it was, reserved or in the queue (${answer})`);
  }
  const used = crowd.calls.filter(({ outcome }) => outcome === "granted").length;
  if (kept !== used + wasted)
    say("wasted", `process ${index} kept ${kept} instants, used ${used}, and calls ${wasted} wasted`);
}

/** Where everybody always wants more, each gets its part and little is lost. */
function checkShares(plan: PermitPlan, processes: readonly PermitProcess<PermitPlan>[], say: Say): void {
  const settled = plan.everyMs * 20;
  const counts = processes.map(
    ({ crowd: { calls } }) =>
      calls.filter(({ outcome, settledMs }) => outcome === "granted" && settledMs > settled).length,
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  const even = total / counts.length;
  if (counts.some((count) => Math.abs(count - even) > Math.max(2, 0.1 * even)))
    say("fair", `${counts.join(", ")} permits`);
  const possible = (plan.activeMs - settled) / plan.everyMs;
  const least = plan.maxReserved === 0 ? 0.5 : 0.95;
  if (total < least * possible) say("loss", `${total} of ${possible} permits were used`);
}
