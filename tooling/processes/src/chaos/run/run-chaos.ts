import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { linkFaults } from "../faults/link-faults.ts";
import { workerFaults } from "../faults/worker-faults.ts";
import { Fleet } from "../fleet/fleet.ts";
import type { Shares } from "../fleet/slot.ts";
import { findLibfaketime } from "../fleet/wall-clocks.ts";
import { checkHistory, type Findings, type HistoryFacts } from "../history/check-history.ts";
import { readLogs } from "../history/read-logs.ts";
import { planFaults } from "../schedule/plan-faults.ts";
import { type StoreName, targets } from "../targets/index.ts";
import type { Target } from "../targets/target.ts";
import { MAX, TIMINGS } from "../timings.ts";
import { within } from "../within.ts";
import { runFaults } from "./fault-runner.ts";
import { type ChaosResult, toResult } from "./result.ts";

/** What to run. */
export interface ChaosOptions {
  readonly store: StoreName;
  /** How long faults come, in milliseconds. Starting and settling come on top. */
  readonly durationMs: number;
  readonly seed: number;
  readonly workers: number;
  /** How they share the limit. Default even. */
  readonly shares?: Shares;
  /** An empty folder for the logs. */
  readonly folder: string;
  readonly say: (line: string) => void;
}

export interface ChaosRun {
  readonly result: ChaosResult;
  readonly findings: Findings;
}

/**
 * From the first grants to the first fault, so that there is something to disturb; and after the last one, so that its
 * effect shows.
 */
const CALM_MS = 2_000;
/** Until every worker was granted something; against hangs. */
const START_WITHIN_MS = 60_000;
/** The name of the file that says what a folder of logs is to be checked against. */
export const FACTS = "facts.json";

/**
 * Puts a store and the workers that share a limit by it under faults, and checks what they wrote down. Leaves nothing
 * behind but the logs.
 * @throws Error when a server or a worker fails that should not; the signal's reason
 */
export async function runChaos(options: ChaosOptions, signal: AbortSignal): Promise<ChaosRun> {
  const group = `chaos-${options.seed}`;
  const target = await targets[options.store](group);
  try {
    signal.throwIfAborted();
    return await stress(target, group, options, signal);
  } finally {
    await target.stop();
  }
}

async function stress(target: Target, group: string, options: ChaosOptions, outer: AbortSignal): Promise<ChaosRun> {
  const { store, durationMs, seed, workers, shares = "even", folder, say } = options;
  const halt = new AbortController();
  const signal = AbortSignal.any([outer, halt.signal]);
  const skipped: string[] = [];
  const skip = (reason: string): void => {
    skipped.push(reason);
    say(reason);
  };
  const libfaketime = target.wallClockIsStores ? undefined : findLibfaketime();
  const facts = {
    group,
    folder,
    shares,
    libfaketime,
    address: (link: { at: Parameters<Target["address"]>[0] }) => target.address(link.at),
    onFailure: (reason: string) => halt.abort(new Error(reason)),
  };
  const fleet = await Fleet.prepare(workers, target.servers, facts, skip);
  try {
    const clock = await within(START_WITHIN_MS, "all workers were granted something", fleet.start(), signal);
    const faults = [...workerFaults(fleet), ...(target.servers.length > 0 ? linkFaults(fleet) : []), ...target.faults];
    const plan = planFaults(faults, workers, durationMs, seed);
    await sleep(CALM_MS);
    const records = await runFaults(plan, faults, say, signal);
    await sleep(CALM_MS + TIMINGS.staleAfterMs);
    signal.throwIfAborted();
    await fleet.leave();
    const history: HistoryFacts = { timings: TIMINGS, max: MAX, clock, losesWrites: target.losesWrites };
    await writeFile(join(folder, FACTS), `${JSON.stringify({ store, seed, ...history, faults: records }, null, 2)}\n`);
    const findings = checkHistory(await readLogs(folder), history);
    const minutes = Math.round(durationMs / 600) / 100;
    const run = { store, minutes, max: MAX, seed, workers, shares, losesWrites: target.losesWrites, skipped };
    return { result: toResult(run, records, findings), findings };
  } finally {
    await fleet.end();
  }
}
