import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { packageVersion } from "../package-version.ts";
import { FleetProcess } from "../processes/child-process.ts";
import { median, quantile, quotient } from "../statistics.ts";
import { commandStats, startOwnRedis } from "../stores/own-redis.ts";
import type { Approach } from "./approaches.ts";
import {
  type CalleeBooks,
  type Calls,
  type FleetPlan,
  offeredPerSecond,
  type Stretch,
  type WorkerReport,
  type WorkerSettings,
} from "./plan.ts";

/** What came of one approach. Waits are from the arrival of work to its call, in milliseconds. */
export interface ApproachFigures {
  readonly name: string;
  readonly version: string | null;
  readonly settings: string;
  /** The part of the callee's limit that was used, by the callee's books. */
  readonly used: number;
  /** Calls that the callee refused, in the warm-up too. */
  readonly rejected429: number;
  /** Of the light workers. Null when nothing arrived at them. */
  readonly lightMedianWaitMs: number | null;
  readonly lightP99WaitMs: number | null;
  /** Null when nothing arrived at the busy worker. */
  readonly busyMedianWaitMs: number | null;
  /** Arrivals at the light workers that found the line full. */
  readonly lightTurnedAway: number;
  /** Commands that Redis had from one process a second; those that scripts call are not among them. */
  readonly commandsPerSecond: number;
  /** The same, of all processes together, for each call that was accepted. Null when none was. */
  readonly commandsPerCall: number | null;
  /** Commands that scripts called, for each call that was accepted. Null when none was. */
  readonly scriptCommandsPerCall: number | null;
  /** All that Redis counted, by name. */
  readonly commands: Readonly<Record<string, number>>;
  /** The most calls that came in any window, as a part of the limit. */
  readonly fullestWindow: number;
  /** Calls of each worker from begin to end, by the callee's books and by the workers' own. */
  readonly books: { readonly callee: readonly Calls[]; readonly workers: readonly Calls[] };
  /** The machine's load (of a minute) at the end. */
  readonly load: number;
}

/** What clients send themselves in all of these approaches; their scripts call none of it. */
const FROM_CLIENTS =
  /^(eval|evalsha|eval_ro|evalsha_ro|fcall|script|hello|client|ping|subscribe|unsubscribe|quit)(\||$)/;

const SEED = 1;

/** Runs the fleet with one approach, on a Redis of its own. */
export async function runApproach(approach: Approach, plan: FleetPlan): Promise<ApproachFigures> {
  const { server, admin } = await startOwnRedis();
  const callee = new FleetProcess(join(import.meta.dirname, "callee.ts"), [
    JSON.stringify(plan.callee),
    String(plan.workers),
  ]);
  const workers: FleetProcess[] = [];
  try {
    const calleeUrl = await callee.hear<string>();
    for (let worker = 0; worker < plan.workers; worker++) {
      const settings: WorkerSettings = {
        ...{ approach: approach.name, redisUrl: server.url, calleeUrl, callee: plan.callee, worker },
        ...{ perSecond: offeredPerSecond(plan, worker), line: plan.line, seed: SEED },
      };
      workers.push(new FleetProcess(join(import.meta.dirname, "worker.ts"), [JSON.stringify(settings)]));
    }
    await Promise.all(workers.map((worker) => worker.hear()));
    const beginMs = Date.now() + 100;
    const fromMs = beginMs + plan.warmUpMs;
    const stretch: Stretch = { beginMs, fromMs, toMs: fromMs + plan.measuredMs };
    for (const worker of workers) worker.tell(stretch);
    await sleep(fromMs - Date.now());
    const before = await commandStats(admin);
    await sleep(stretch.toMs - Date.now());
    const commands = difference(before, await commandStats(admin));
    const reports = await Promise.all(workers.map((worker) => worker.hear<WorkerReport>()));
    callee.tell(stretch);
    return figuresOf(approach, plan, await callee.hear<CalleeBooks>(), reports, commands);
  } finally {
    await Promise.all([callee, ...workers].map((child) => child.stop()));
    admin.disconnect();
    await server.stop();
  }
}

/** What was counted in between; the question itself is left out. */
function difference(before: Awaited<ReturnType<typeof commandStats>>, after: typeof before): Record<string, number> {
  return Object.fromEntries(
    [...after]
      .map(([command, { calls }]) => [command, calls - (before.get(command)?.calls ?? 0)] as const)
      .filter(([command, calls]) => calls > 0 && command !== "info"),
  );
}

/**
 * What the books and the workers' reports come to.
 * @throws Error when the books disagree, or something else went wrong than being refused
 */
export function figuresOf(
  approach: Approach,
  plan: FleetPlan,
  callee: CalleeBooks,
  reports: readonly WorkerReport[],
  commands: Readonly<Record<string, number>>,
): ApproachFigures {
  const { limit, windowMs } = plan.callee;
  const errors = reports.flatMap((report) => report.errors);
  if (errors.length > 0) throw new Error(`${approach.name}: ${errors.length} errors, the first: ${errors[0]}`);
  const books = { callee: callee.calls, workers: reports.map(({ calls }) => calls) };
  const [theirs, ours] = [JSON.stringify(books.callee), JSON.stringify(books.workers)];
  if (theirs !== ours) throw new Error(`${approach.name}: the callee counted ${theirs}, the workers ${ours}`);
  const [busy, ...light] = reports as readonly [WorkerReport, ...WorkerReport[]];
  const lightWaitsMs = light.flatMap(({ waitsMs }) => waitsMs);
  const all = Object.entries(commands);
  const sum = (some: typeof all): number => some.reduce((total, [, calls]) => total + calls, 0);
  const fromClients = sum(all.filter(([command]) => FROM_CLIENTS.test(command)));
  return {
    name: approach.name,
    version: approach.package === undefined ? null : packageVersion(approach.package),
    settings: approach.settings(plan.callee),
    used: callee.accepted / ((limit * plan.measuredMs) / windowMs),
    rejected429: callee.calls.reduce((total, { refused }) => total + refused, 0),
    lightMedianWaitMs: median(lightWaitsMs),
    lightP99WaitMs: quantile(lightWaitsMs, 0.99),
    busyMedianWaitMs: median(busy.waitsMs),
    lightTurnedAway: light.reduce((total, { turnedAway }) => total + turnedAway, 0),
    commandsPerSecond: (1_000 * fromClients) / plan.measuredMs / plan.workers,
    commandsPerCall: quotient(fromClients, callee.accepted),
    scriptCommandsPerCall: quotient(sum(all) - fromClients, callee.accepted),
    commands,
    fullestWindow: callee.fullestWindow / limit,
    books,
    load: loadavg()[0] as number,
  };
}
