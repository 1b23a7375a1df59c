import { setTimeout as sleep } from "node:timers/promises";
import type { Fault, Mend } from "../faults/fault.ts";
import type { FaultRecord } from "../history/recovery.ts";
import type { PlannedFault } from "../schedule/plan-faults.ts";
import { machineNow } from "../worker/machine-now.ts";

/**
 * Brings about the faults of a schedule, each at its time, and mends each after its duration. Resolves when all are mended.
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
  const runs = plan.map(async (planned) => {
    const { kind, atMs, durationMs, worker } = planned;
    const fault = faults.find((one) => one.kind === kind) as Fault;
    await pause(startMs + atMs - machineNow(), any);
    const injectedMs = machineNow();
    const mend: Mend = await fault.inject(planned);
    const whom = worker > 0 ? ` ${worker}` : "";
    say(`${(atMs / 1_000).toFixed(1).padStart(6)} s  ${kind}${whom}, for ${(durationMs / 1_000).toFixed(1)} s`);
    await pause(durationMs, any);
    await mend();
    return { kind, ...(worker > 0 && { worker }), startMs: injectedMs, endMs: machineNow() };
  });
  try {
    return await Promise.all(runs);
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
