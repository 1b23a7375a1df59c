import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { packageVersion } from "../package-version.ts";
import { FleetProcess } from "../processes/child-process.ts";
import { type Percentiles, percentiles, quotient } from "../statistics.ts";
import { commandStats, startOwnRedis } from "../stores/own-redis.ts";
import type { Approach } from "./approaches.ts";
import type { BudgetPlan, CalleeBooks, Stretch, WorkerReport, WorkerSettings } from "./plan.ts";

/** What came of one approach in one round. Waits are from asking to the begin of the call, in milliseconds. */
export interface ApproachFigures {
  /** The parts of the callee's limits that were used, by the callee's books. */
  readonly usedRequests: number;
  readonly usedTokens: number;
  /** Calls that the callee refused, in the warm-up too. */
  readonly refused: number;
  /** Calls that the limiter itself gave up, since the store or the process was too slow. */
  readonly givenUp: number;
  readonly calls: number;
  /** Commands that clients sent to Redis, for each call. Null when there was no call. */
  readonly requestsPerCall: number | null;
  /** Of light processes. Null when none of their calls began. */
  readonly lightWaitMs: Percentiles | null;
  /** Of the greedy one. Null when none of its calls began. */
  readonly greedyWaitMs: Percentiles | null;
  /** The machine's load (of a minute) at the end. */
  readonly load: number;
}

/** What clients send themselves in all of these approaches; their scripts call none of it. */
const FROM_CLIENTS =
  /^(eval|evalsha|eval_ro|evalsha_ro|fcall|script|hello|client|ping|subscribe|unsubscribe|quit)(\||$)/;

/** Runs the fleet with one approach, on a Redis of its own. */
export async function runApproach(approach: Approach, plan: BudgetPlan): Promise<ApproachFigures> {
  const { quota, lightPerSecond, greedyCalls, holdMs, warmUpMs, measuredMs } = plan;
  const { server, admin } = await startOwnRedis();
  const children: FleetProcess[] = [];
  const start = (script: string, settings: object): FleetProcess => {
    const child = new FleetProcess(join(import.meta.dirname, script), [JSON.stringify(settings)]);
    children.push(child);
    return child;
  };
  const requests = async (): Promise<number> => {
    let sum = 0;
    for (const [command, { calls }] of await commandStats(admin)) if (FROM_CLIENTS.test(command)) sum += calls;
    return sum;
  };
  try {
    const callee = start("callee.ts", quota);
    const calleeUrl = await callee.hear<string>();
    const workers = [null, ...lightPerSecond].map((perSecond, worker) => {
      const own = { approach: approach.name, redisUrl: server.url, calleeUrl, worker, perSecond };
      return start("worker.ts", { ...own, quota, holdMs, greedyCalls } satisfies WorkerSettings);
    });
    await Promise.all(workers.map((worker) => worker.hear()));
    const beginMs = Date.now() + 100;
    const fromMs = beginMs + warmUpMs;
    const stretch: Stretch = { beginMs, fromMs, toMs: fromMs + measuredMs };
    for (const worker of workers) worker.tell(stretch);
    await sleep(fromMs - Date.now());
    const before = await requests();
    await sleep(stretch.toMs - Date.now());
    const sent = (await requests()) - before;
    const reports = await Promise.all(workers.map((worker) => worker.hear<WorkerReport>()));
    callee.tell(stretch);
    return figuresOf(approach, plan, await callee.hear<CalleeBooks>(), reports, sent);
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    admin.disconnect();
    await server.stop();
  }
}

/**
 * What the books and the workers' reports come to.
 * @throws Error when something went wrong in a worker
 */
export function figuresOf(
  approach: Approach,
  { quota, measuredMs }: BudgetPlan,
  { calls, tokens, refused }: CalleeBooks,
  reports: readonly WorkerReport[],
  sent: number,
): ApproachFigures {
  const errors = reports.flatMap((report) => report.errors);
  if (errors.length > 0) throw new Error(`${approach.name}: ${errors.length} errors, the first: ${errors[0]}`);
  const [greedy, ...light] = reports as readonly [WorkerReport, ...WorkerReport[]];
  const windows = measuredMs / quota.windowMs;
  return {
    usedRequests: calls / windows / quota.requests,
    usedTokens: tokens / windows / quota.tokens,
    refused,
    givenUp: reports.reduce((sum, report) => sum + report.givenUp, 0),
    calls,
    requestsPerCall: quotient(sent, calls),
    lightWaitMs: percentiles(light.flatMap(({ waitsMs }) => waitsMs)),
    greedyWaitMs: percentiles(greedy.waitsMs),
    load: loadavg()[0] as number,
  };
}

/** The version of an approach's package; null for our own. */
export function versionOf({ package: name }: Approach): string | null {
  return name === undefined ? null : packageVersion(name);
}
