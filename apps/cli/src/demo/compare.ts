import type { DemoResult } from "./measure/result.ts";
import { type Load, type RunObserver, type RunRecord, runLoad } from "./run-load.ts";
import { worstWindow } from "./sliding-window.ts";
import { TIMINGS } from "./timings.ts";

/** One way to send the same load, by what the server saw. */
export interface Comparison {
  readonly name: "shared" | "unthrottled" | "static split";
  readonly served: number;
  readonly rejected429: number;
  readonly worstSlidingSecond: number;
  /** Requests served, of the most that the server would have served in the whole run, changes included; 0 to 1. */
  readonly utilisation: number;
}

/**
 * Repeats the load, changes of the fleet included, without a throttle, and with the limit split once and for all:
 * `limit / workers` for each worker, whoever joins or leaves.
 */
export async function compare(
  load: Load,
  result: DemoResult,
  observe: (name: Comparison["name"]) => { readonly observer: RunObserver; done(): void },
  signal: AbortSignal,
): Promise<Comparison[]> {
  const repeat = async (name: Comparison["name"], gate: Load["gate"]): Promise<Comparison> => {
    const { observer, done } = observe(name);
    try {
      return summary(name, load, await runLoad({ ...load, gate }, observer, signal));
    } finally {
      done();
    }
  };
  const { served, rejected429, worstSlidingSecond } = result;
  const shared = {
    name: "shared",
    served,
    rejected429,
    worstSlidingSecond,
    utilisation: ofWholeRun(served, load),
  } as const;
  const unthrottled = await repeat("unthrottled", { type: "none" });
  const part = Math.max(1, Math.floor(result.limit / load.workers));
  return [shared, unthrottled, await repeat("static split", { type: "alone", max: part })];
}

function summary(name: Comparison["name"], load: Load, { arrivals }: RunRecord): Comparison {
  const served = arrivals.served.reduce((sum, one) => sum + one, 0);
  return {
    name,
    served,
    rejected429: arrivals.served.length - served,
    worstSlidingSecond: worstWindow(arrivals.atMs, TIMINGS.intervalMs),
    utilisation: ofWholeRun(served, load),
  };
}

function ofWholeRun(served: number, { max, seconds }: Load): number {
  return Math.floor((1e4 * served) / (max * seconds)) / 1e4;
}
