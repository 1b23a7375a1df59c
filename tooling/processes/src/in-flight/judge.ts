import type { CalleeCall } from "./callee.ts";

/** The most that may be in flight from an instant on. */
export interface Limit {
  readonly fromMs: number;
  readonly max: number;
}

/** A state in which more than max may be in flight, by its name in docs/semaphores.md. */
export type NamedState = "N1" | "N2" | "N4";

/** Calls that may go on beyond max: those that a worker had begun when it stopped or died, once it counts as stale. */
export interface Excuse {
  readonly state: "N1" | "N4";
  readonly worker: number;
  /** When it stopped or died. */
  readonly atMs: number;
}

/** While a lower maximum comes into force: at most the old one, until the calls that ran have ended. */
export interface Lowering {
  readonly fromMs: number;
  readonly toMs: number;
  readonly oldMax: number;
}

/** What the judge is told besides the callee's books. */
export interface Circumstances {
  readonly limits: readonly Limit[];
  readonly excuses: readonly Excuse[];
  readonly lowerings: readonly Lowering[];
  /** A worker counts as stale this long after the last report, which was at most a sync interval before it stopped. */
  readonly staleAfterMs: number;
  readonly syncIntervalMs: number;
}

export interface Judgement {
  readonly calls: number;
  /** The most calls in flight at once beyond the maximum of that instant, excused ones included; 0 or less: none. */
  readonly most: number;
  /** For how many milliseconds more than the maximum was in flight, by the state that allows it. */
  readonly seenMs: Readonly<Record<NamedState, number>>;
  readonly violations: readonly string[];
}

/** Goes through the callee's books, instant by instant. */
export function judge(calls: readonly CalleeCall[], circumstances: Circumstances): Judgement {
  const { limits, excuses, lowerings, staleAfterMs, syncIntervalMs } = circumstances;
  const excuseOf = ({ worker, beganMs }: CalleeCall): Excuse | undefined =>
    excuses.find((excuse) => excuse.worker === worker && beganMs <= excuse.atMs);
  const changes = calls
    .flatMap((call) => {
      const excuse = excuseOf(call);
      return [
        { atMs: call.beganMs, by: 1, excuse },
        { atMs: call.endedMs, by: -1, excuse },
      ];
    })
    .filter(({ atMs }) => Number.isFinite(atMs))
    // One that ends at the instant at which the next begins is over.
    .sort((a, b) => a.atMs - b.atMs || a.by - b.by);
  const seenMs = { N1: 0, N2: 0, N4: 0 };
  const violations: string[] = [];
  const running = new Map<Excuse | undefined, number>();
  let [inFlight, most, at] = [0, 0, 0];
  for (const [index, { atMs, by, excuse }] of changes.entries()) {
    inFlight += by;
    running.set(excuse, (running.get(excuse) ?? 0) + by);
    while (limits[at + 1] !== undefined && (limits[at + 1] as Limit).fromMs <= atMs) at += 1;
    const max = limits[at]?.max ?? 0;
    const lowering = lowerings.find(({ fromMs, toMs }) => fromMs <= atMs && atMs <= toMs);
    const allowed = Math.max(max, lowering?.oldMax ?? 0);
    const stale = [...running].filter(
      ([key, count]) => key !== undefined && count > 0 && atMs >= key.atMs + staleAfterMs - syncIntervalMs,
    ) as [Excuse, number][];
    const excused = stale.reduce((sum, [, count]) => sum + count, 0);
    most = Math.max(most, inFlight - max);
    if (inFlight > max) {
      const state = excused > 0 ? (stale[0] as [Excuse, number])[0].state : "N2";
      seenMs[state] += (changes[index + 1]?.atMs ?? atMs) - atMs;
    }
    if (by === 1 && inFlight - excused > allowed)
      violations.push(
        `${inFlight} calls in flight at ${atMs.toFixed(0)} ms, where ${allowed} were allowed and ${excused} excused`,
      );
  }
  return { calls: calls.length, most, seenMs, violations };
}
