import { machineNow } from "../machine-now.ts";
import { openFleet } from "./fleet.ts";
import { judge } from "./judge.ts";
import { type Measured, measure } from "./measure.ts";
import type { FleetSettings } from "./settings.ts";
import type { PermitStore } from "./stores/permit-store.ts";

/** What a run without faults is. */
export interface RunSettings {
  readonly processes: number;
  /** The run ends when so many permits were used. */
  readonly permits: number;
  readonly everyMs: number;
  readonly maxReserved: number;
  /** Callers in each process that ask again at once. */
  readonly callers: number;
}

/** How a run was. */
export interface RunResult extends RunSettings, Measured {
  readonly store: string;
  /** The least distance between two permits on the store's clock. */
  readonly closestMs: number;
  readonly wasted: number;
}

const START_MS = 120_000;
const END_MS = 60_000;
/** How often a long run says how far it is. */
const PROGRESS_MS = 10_000;
/** So long that a busy machine fails no call: the run is about distances, not about deadlines. */
const PATIENT_MS = 10_000;
/** On a busy machine a process may be woken late, and what is counted here is whose turn it was. */
const LONG_MS = 60_000;
/**
 * Stores that compare and swap keep a reservation for as long as its permit may be used, in the value that is written
 * each time.
 */
const LONG_AT_HYBRID_MS = 2_000;

/**
 * Lets processes go at the same moment, stops them when enough permits were used, and tells how it was.
 * @param say receives how far it is, now and then
 * @throws Error when a process fails or does not answer
 */
export async function runSteady(
  store: PermitStore,
  wanted: RunSettings,
  say: (line: string) => void = () => {},
): Promise<RunResult> {
  const { leastEveryMs = 0, hybridClock = false } = store;
  const run = { ...wanted, everyMs: Math.max(wanted.everyMs, leastEveryMs) };
  const { everyMs, maxReserved, callers, permits, processes } = run;
  const permitTtl = hybridClock ? LONG_AT_HYBRID_MS : LONG_MS;
  const pacer = { every: everyMs, maxReserved, permitTtl, storeTimeout: PATIENT_MS };
  const fleet: FleetSettings = { pacer, callers, pauseMs: 0, callTimeoutMs: LONG_MS, timeout: `${PATIENT_MS}ms` };
  let used = 0;
  // Ten times what it takes, and time to start in.
  const limitMs = 10 * permits * everyMs + START_MS;
  let onEnough = (): void => {};
  let late: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve, reject) => {
    onEnough = resolve;
    late = setTimeout(() => reject(new Error(`only ${used} permits were used in ${limitMs} ms`)), limitMs);
  });
  enough.catch(() => {}); // Where the workers do not start, that is the error.
  const onLine = (line: string): void => {
    if (line !== "granted") return;
    used += 1;
    if (used === permits) onEnough();
  };
  const progress = setInterval(() => say(`${used} of ${permits} permits`), PROGRESS_MS);
  try {
    await using open = await openFleet(
      store,
      fleet,
      Array.from({ length: processes }, () => ({ onLine })),
    );
    const { workers } = open;
    const calmFromMs = machineNow();
    for (const worker of workers) worker.tell("go");
    await enough;
    for (const worker of workers) worker.tell("stop");
    const calmUntilMs = machineNow();
    await Promise.all(workers.map((worker) => worker.ended(END_MS)));
    const logs = workers.map((worker) => worker.log());
    const measured = measure(logs, run);
    const { violations, closestMs, wasted } = judge(logs, pacer, { calmFromMs, calmUntilMs, hybridClock });
    return {
      store: store.name,
      ...run,
      ...measured,
      closestMs,
      wasted,
      violations: [...violations, ...measured.violations],
    };
  } finally {
    clearInterval(progress);
    clearTimeout(late);
  }
}
