import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { packageVersion } from "../package-version.ts";
import { FleetProcess } from "../processes/child-process.ts";
import { type Percentiles, percentiles, quotient } from "../statistics.ts";
import type { Approach } from "./approaches.ts";
import type { CalleeBooks, Kind, Load, Stretch, Times, WorkerReport, WorkerSettings } from "./plan.ts";
import { startServer } from "./server.ts";

/** What came of one approach under one load. Waits are from asking to the begin of the call, in milliseconds. */
export interface ApproachFigures {
  readonly name: string;
  readonly version: string | null;
  readonly settings: string;
  /** Calls in flight, on average, as a part of the maximum, as the callee counts. */
  readonly used: number;
  /** The most calls that were in flight at once, as the callee counts, in the warm-up too. */
  readonly most: number;
  readonly calls: number;
  /** Null when no call began. */
  readonly requestsPerCall: number | null;
  /** Of busy processes. Null when none of their calls began. */
  readonly busyWaitMs: Percentiles | null;
  /** Of the others. Null when none of their calls began, and where every process is busy. */
  readonly lightWaitMs: Percentiles | null;
  /** The machine's load (of a minute) at the end. */
  readonly load: number;
}

/** Runs the fleet with one approach, on a server of its own. */
export async function runApproach(approach: Approach, load: Load, times: Times): Promise<ApproachFigures> {
  const server = await startServer[approach.server]();
  const children: FleetProcess[] = [];
  const start = (script: string, argument: string): FleetProcess => {
    const child = new FleetProcess(join(import.meta.dirname, script), [argument]);
    children.push(child);
    return child;
  };
  try {
    const callee = start("callee.ts", String(load.holdMs));
    const calleeUrl = await callee.hear<string>();
    const workers = load.callers.map((callers, worker) => {
      const { max, lightEveryMs } = load;
      const settings = { approach: approach.name, url: server.url, calleeUrl, max, callers, lightEveryMs, worker };
      return start("worker.ts", JSON.stringify(settings satisfies WorkerSettings));
    });
    await Promise.all(workers.map((worker) => worker.hear()));
    const fromMs = Date.now() + times.warmUpMs;
    const stretch: Stretch = { fromMs, toMs: fromMs + times.measuredMs };
    for (const worker of workers) worker.tell(stretch);
    await sleep(stretch.fromMs - Date.now());
    const before = await server.requests();
    await sleep(stretch.toMs - Date.now());
    const requests = (await server.requests()) - before;
    const reports = await Promise.all(workers.map((worker) => worker.hear<WorkerReport>()));
    callee.tell(stretch);
    return figuresOf(approach, load, await callee.hear<CalleeBooks>(), reports, requests);
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    await server.stop();
  }
}

/**
 * What the books and the workers' reports come to.
 * @throws Error when something went wrong in a worker
 */
export function figuresOf(
  approach: Approach,
  load: Load,
  { calls, most, average }: CalleeBooks,
  reports: readonly WorkerReport[],
  requests: number,
): ApproachFigures {
  const errors = reports.flatMap((report) => report.errors);
  if (errors.length > 0) throw new Error(`${approach.name}: ${errors.length} errors, the first: ${errors[0]}`);
  const waits = (kind: Kind): Percentiles | null => percentiles(reports.flatMap((report) => report.waitsMs[kind]));
  return {
    name: approach.name,
    version: approach.package === undefined ? null : packageVersion(approach.package),
    settings: approach.settings(load.max),
    used: average / load.max,
    most,
    calls,
    requestsPerCall: quotient(requests, calls),
    busyWaitMs: waits("busy"),
    lightWaitMs: waits("light"),
    load: loadavg()[0] as number,
  };
}
