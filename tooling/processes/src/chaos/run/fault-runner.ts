import { setTimeout as sleep } from "node:timers/promises";
import { machineNow } from "../../machine-now.ts";
import type { Fault } from "../faults/fault.ts";
import type { FaultRecord } from "../history/recovery.ts";
import { type PlannedFault, thingOf } from "../schedule/plan-faults.ts";
import { within } from "../within.ts";

/** Against hangs: a server that recovers, or a worker that joins a store that is down, may take long. */
const MOST_MS = 120_000;

/**
 * Brings about the faults of a schedule, each at its time or, where it took longer to mend the one before on the same
 * thing, after that. Resolves when all are mended.
 * @throws what a fault throws; the signal's reason
 */
export async function runFaults(
  plan: readonly PlannedFault[],
  faults: readonly Fault[],
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<FaultRecord[]> {
  const startMs = machineNow();
  const stop = new AbortController();
  const any = AbortSignal.any([signal, stop.signal]);

  const run = async (planned: PlannedFault, before: Promise<unknown>): Promise<FaultRecord | undefined> => {
    const { kind, atMs, durationMs, worker } = planned;
    const fault = faults.find((one) => one.kind === kind) as Fault;
    await before;
    await pause(startMs + atMs - machineNow(), any);
    const injectedMs = machineNow();
    const mend = await within(MOST_MS, `${kind} is in effect`, fault.inject(planned), any);
    const whom = worker > 0 ? ` ${worker}` : "";
    const when = `${(atMs / 1_000).toFixed(1).padStart(6)} s  ${kind}${whom}`;
    if (mend === undefined) {
      say(`${when}: did not come about`);
      return undefined;
    }
    say(`${when}, for ${(durationMs / 1_000).toFixed(1)} s`);
    await pause(durationMs, any);
    await within(MOST_MS, `${kind} is mended`, mend(), any);
    return { kind, ...(worker > 0 && { worker }), startMs: injectedMs, endMs: machineNow() };
  };

  const last = new Map<string, Promise<unknown>>();
  const runs = plan.map((planned) => {
    const thing = thingOf(planned);
    const result = run(planned, last.get(thing) ?? Promise.resolve());
    last.set(thing, result);
    return result;
  });
  try {
    return (await Promise.all(runs)).filter((record) => record !== undefined);
  } finally {
    // One has failed: the others need not wait for their time. Whatever is not mended goes with its process.
    stop.abort(new Error("another fault could not be brought about"));
    await Promise.allSettled(runs);
  }
}

async function pause(forMs: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  try {
    await sleep(Math.max(0, forMs), undefined, { signal });
  } catch {
    // The timer says only that it was aborted; the signal says why.
    signal.throwIfAborted();
  }
}
