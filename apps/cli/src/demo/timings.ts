/** Length of an epoch, and of the server's sliding window. */
const intervalMs = 1_000;
const syncIntervalMs = 250;
const staleAfterMs = 3_000;
/** The throttle's default for this interval. */
const clockErrorMs = 250;

/**
 * The timings of the demo's throttles: shorter than the defaults (a member counts as dead after 3 s instead of 10
 * s), so that half a minute shows everything; in the same proportions otherwise. The report states them.
 */
export const TIMINGS = {
  intervalMs,
  syncIntervalMs,
  validityMs: 1_500,
  staleAfterMs,
  storeTimeoutMs: 500,
  clockErrorMs,
} as const;

/**
 * Agreement takes at most three syncs of the slowest member; the shares then rise with an epoch that begins after the
 * clock-error bound.
 */
const settleMs = 3 * syncIntervalMs + clockErrorMs + intervalMs;

/**
 * How long after a change the shares may be wrong before it counts against the throttle. Fixed in advance from the
 * protocol, so that a slow convergence shows as lost utilisation instead of as a longer excuse.
 */
export const CHURN_ALLOWANCE_MS = {
  /** A store that can lose its data lets a new group learn first: two syncs and an epoch by default. */
  start: 2 * syncIntervalMs + intervalMs + settleMs,
  join: settleMs,
  /** Only silence tells of a crash; then the next sync of anybody finds it. */
  kill: staleAfterMs + syncIntervalMs + settleMs,
  leave: settleMs,
} as const;

export type ChangeKind = "join" | "kill" | "leave";

/** When each change comes, as a part of the duration. From 20 s on, whole epochs without churn lie between them. */
export const CHANGES: readonly { readonly kind: ChangeKind; readonly at: number }[] = [
  { kind: "join", at: 0.2 },
  { kind: "kill", at: 0.4 },
  { kind: "leave", at: 0.75 },
];

export const SHORTEST_SECONDS = 20;

/** The part of the limit that is left unused by default: room for 30 ms of arrival jitter in a second. */
const HEADROOM_PART = 0.03;

/** Tokens to leave unused of a limit that the callee counts in a sliding window (docs/headroom.md). */
export function defaultHeadroom(max: number): number {
  return Math.max(1, Math.ceil(HEADROOM_PART * max));
}

/**
 * Milliseconds on the machine's monotonic clock. All processes of a machine read the same one, so that times taken in
 * different processes can be compared; `performance.now()` counts from each process's own start.
 */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
