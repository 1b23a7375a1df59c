import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { packageVersion } from "../package-version.ts";
import { FleetProcess } from "../processes/child-process.ts";
import { type Percentiles, percentiles, quotient } from "../statistics.ts";
import { commandStats, startOwnRedis } from "../stores/own-redis.ts";
import type { Approach } from "./approaches.ts";
import type { KeysPlan, Part, Stretch, WorkerReport, WorkerSettings } from "./plan.ts";

/** What came of one part of one round. */
export interface PartFigures {
  readonly decisions: number;
  /** Commands that clients sent to Redis, for each decision. Null when there was none. */
  readonly commandsPerDecision: number | null;
  readonly commandsPerSecond: number;
  /** How long decisions of the other tenants took, in milliseconds. Null when there was none. */
  readonly othersMs: Percentiles | null;
  readonly hotMs: Percentiles | null;
  readonly othersRefused: number;
  /** What each hot tenant got a second: sticky, spread. */
  readonly hotPerSecond: readonly number[];
  /** The most that each got in any 980 ms, the burst left out. */
  readonly hotWorst: readonly number[];
}

/** What came of one approach in one round. */
export interface ApproachFigures {
  readonly parts: Readonly<Record<Part, PartFigures>>;
  /** Commands a second of a fleet that nobody asks. */
  readonly idleCommandsPerSecond: number;
  /** The machine's load (of a minute) at the end. */
  readonly load: number;
}

const PARTS: readonly Part[] = ["quiet", "loaded", "noisy"];

/** What clients send themselves in all of these approaches; their scripts call none of it. */
const FROM_CLIENTS =
  /^(eval|evalsha|eval_ro|evalsha_ro|fcall|script|hello|client|ping|subscribe|unsubscribe|quit)(\||$)/;

/** A window in which a tenant may have the burst and what comes back: a second, less what timers are off. */
const WINDOW_MS = 980;

/** Runs the fleet with one approach, on a Redis of its own. */
export async function runApproach(approach: Approach, plan: KeysPlan): Promise<ApproachFigures> {
  const { server, admin } = await startOwnRedis();
  const workers = Array.from({ length: plan.processes }, (_, worker) => {
    const settings = { approach: approach.name, redisUrl: server.url, worker, plan } satisfies WorkerSettings;
    return new FleetProcess(join(import.meta.dirname, "worker.ts"), [JSON.stringify(settings)]);
  });
  const commands = async (): Promise<number> => {
    let sum = 0;
    for (const [command, { calls }] of await commandStats(admin)) if (FROM_CLIENTS.test(command)) sum += calls;
    return sum;
  };
  const runPart = async (part: Part): Promise<PartFigures> => {
    const beginMs = Date.now() + 100;
    const fromMs = beginMs + plan.warmUpMs;
    const stretch: Stretch = { part, beginMs, fromMs, toMs: fromMs + plan.measuredMs };
    for (const worker of workers) worker.tell(stretch);
    await sleep(fromMs - Date.now());
    const before = await commands();
    await sleep(stretch.toMs - Date.now());
    const sent = (await commands()) - before;
    return figuresOf(approach, plan, await Promise.all(workers.map((worker) => worker.hear<WorkerReport>())), sent);
  };
  try {
    await Promise.all(workers.map((worker) => worker.hear()));
    const parts: Partial<Record<Part, PartFigures>> = {};
    for (const part of PARTS) parts[part] = await runPart(part);
    await sleep(plan.calmMs);
    const before = await commands();
    await sleep(plan.calmMs);
    const idle = (await commands()) - before;
    return {
      parts: parts as Record<Part, PartFigures>,
      idleCommandsPerSecond: idle / (plan.calmMs / 1_000),
      load: loadavg()[0] as number,
    };
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
    admin.disconnect();
    await server.stop();
  }
}

/** @throws Error when something went wrong in a worker */
function figuresOf(
  approach: Approach,
  { measuredMs, perSecond }: KeysPlan,
  reports: readonly WorkerReport[],
  sent: number,
): PartFigures {
  const errors = reports.flatMap((report) => report.errors);
  if (errors.length > 0) throw new Error(`${approach.name}: ${errors.length} errors, the first: ${errors[0]}`);
  const decisions = reports.reduce((sum, report) => sum + report.decisions, 0);
  const hot = [0, 1].map((place) => reports.flatMap(({ allowedAtMs }) => allowedAtMs[place] ?? []));
  return {
    decisions,
    commandsPerDecision: quotient(sent, decisions),
    commandsPerSecond: sent / (measuredMs / 1_000),
    othersMs: percentiles(reports.flatMap(({ othersMs }) => othersMs)),
    hotMs: percentiles(reports.flatMap(({ hotMs }) => hotMs)),
    othersRefused: reports.reduce((sum, report) => sum + report.othersRefused, 0),
    hotPerSecond: hot.map((times) => times.length / (measuredMs / 1_000)),
    hotWorst: hot.map((times) => Math.max(0, mostWithin(times, WINDOW_MS) - perSecond)),
  };
}

/** The most times that lie in any window of this length. */
export function mostWithin(times: readonly number[], windowMs: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  let [first, most] = [0, 0];
  for (const [last, ms] of sorted.entries()) {
    while (ms - (sorted[first] as number) >= windowMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** The version of an approach's package; null for our own. */
export function versionOf({ package: name }: Approach): string | null {
  return name === undefined ? null : packageVersion(name);
}
