import type { EpochSum } from "./epoch-sums.ts";

/** A fault that was brought about. */
export interface FaultRecord {
  readonly kind: string;
  readonly worker?: number;
  readonly startMs: number;
  /** When it was mended: the process or server goes on or is up again, the network is whole. */
  readonly endMs: number;
}

/** How long after it was mended the group was back at full use, over all faults of a kind; in milliseconds. */
export interface Recovery {
  readonly measured: number;
  readonly medianMs: number;
  readonly longestMs: number;
}

/** Callers at the very end of an epoch may miss it: that is no lack of tokens. */
const FULL = 0.95;

/** Measures each fault that no other one disturbed until the group was back at full use. */
export function recoveries(faults: readonly FaultRecord[], epochs: readonly EpochSum[]): Record<string, Recovery> {
  const times = new Map<string, number[]>();
  const full = epochs.filter(({ tokens, limit }) => tokens >= FULL * limit);
  for (const fault of faults) {
    const recovered = full.find(({ firstMs }) => firstMs >= fault.endMs);
    if (recovered === undefined) continue;
    const disturbed = faults.some(
      (other) => other !== fault && other.startMs < recovered.firstMs && other.endMs > fault.startMs,
    );
    if (!disturbed) times.set(fault.kind, [...(times.get(fault.kind) ?? []), recovered.firstMs - fault.endMs]);
  }
  return Object.fromEntries([...times].sort().map(([kind, list]) => [kind, summary(list)]));
}

function summary(times: number[]): Recovery {
  const sorted = times.map(Math.round).sort((a, b) => a - b);
  return {
    measured: sorted.length,
    medianMs: sorted[Math.floor(sorted.length / 2)] as number,
    longestMs: sorted.at(-1) as number,
  };
}
