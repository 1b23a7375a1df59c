import type { RunRecord } from "../record.ts";
import { worstWindow } from "../sliding-window.ts";
import { CHURN_ALLOWANCE_MS, TIMINGS } from "../timings.ts";

/** What the server counted of a fleet. */
export interface ServerView {
  readonly served: number;
  readonly rejected429: number;
  /** The most calls that reached the server in any sliding second, refused ones included. */
  readonly worstSlidingSecond: number;
  /** Calls a second, served ones, from when the others may have taken over what the worker that left had. */
  readonly perSecondAfterLeave: number;
}

export function serverView({
  arrivals,
  changes,
  endMs,
}: Pick<RunRecord, "arrivals" | "changes" | "endMs">): ServerView {
  const served = arrivals.filter((arrival) => arrival.served);
  const leave = changes.find(({ kind }) => kind === "leave");
  const fromMs = (leave?.atMs ?? endMs) + CHURN_ALLOWANCE_MS.leave;
  const late = served.filter(({ atMs }) => atMs > fromMs && atMs <= endMs).length;
  const atMs = arrivals.map((arrival) => arrival.atMs);
  return {
    served: served.length,
    rejected429: arrivals.length - served.length,
    worstSlidingSecond: worstWindow(atMs, TIMINGS.intervalMs),
    perSecondAfterLeave: fromMs < endMs ? Number(((1_000 * late) / (endMs - fromMs)).toFixed(1)) : 0,
  };
}
