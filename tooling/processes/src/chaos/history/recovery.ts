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

/** Measures each fault that began at full use and that no other one disturbed until the group was there again. */
export function recoveries(faults: readonly FaultRecord[], epochs: readonly EpochSum[]): Record<string, Recovery> {
  const full = epochs.filter(({ tokens, limit }) => tokens >= FULL * limit);
  const effects = faults.map((fault) => ({
    ...fault,
    recoveredMs: full.find(({ firstMs }) => firstMs >= fault.endMs)?.firstMs ?? Number.POSITIVE_INFINITY,
  }));
  const times = new Map<string, number[]>();
  for (const one of effects) {
    const disturbed = effects.some(
      (other) => other !== one && other.startMs < one.recoveredMs && other.recoveredMs > one.startMs,
    );
    if (disturbed || one.recoveredMs === Number.POSITIVE_INFINITY) continue;
    times.set(one.kind, [...(times.get(one.kind) ?? []), one.recoveredMs - one.endMs]);
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
