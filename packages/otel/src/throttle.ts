import type { Put } from "./series.ts";

/** What of a throttle's status becomes metrics. */
export interface ThrottleStatus {
  readonly state: string;
  readonly intervalMs: number;
  readonly capacity: number;
  readonly level: number;
  readonly share: number;
  readonly usedBefore: number;
  readonly nearLimit: number;
  readonly want: number | undefined;
  readonly members: number;
  readonly pausedForMs: number;
  readonly storeLost: string | undefined;
  readonly tokens: { readonly granted: number; readonly deposited: number };
}

/** Puts what a throttle has beside other limiters. */
export function putThrottle(status: ThrottleStatus, put: Put): void {
  const { state, capacity, members, share, usedBefore, nearLimit, tokens, intervalMs, storeLost } = status;
  put("dt.tokens", tokens.granted);
  put("dt.tokens.deposited", tokens.deposited);
  put("dt.near_limit", nearLimit);
  put("dt.share", share);
  if (state === "running" || state === "draining") {
    put("dt.store.valid", Number(storeLost === undefined));
    put("dt.store.hold", Number(storeLost === "hold" || storeLost === "floor"));
  }
  // Before the first answer nothing is known of the fleet.
  if (members === 0) return;
  put("dt.share.entitled", entitled(status));
  put("dt.limit", capacity);
  put("dt.limit.interval", intervalMs / 1_000);
  put("dt.usage", usedBefore);
  put("dt.utilization", usedBefore / capacity);
  put("dt.members", members);
}

/** The even part of the level, at most what the member wants; nothing while the fleet is paused. */
function entitled({ level, members, want, pausedForMs }: ThrottleStatus): number {
  if (pausedForMs > 0) return 0;
  return Math.min(Math.floor(level / members), want ?? Number.POSITIVE_INFINITY);
}
