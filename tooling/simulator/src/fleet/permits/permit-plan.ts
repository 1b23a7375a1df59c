import { Random } from "../../random.ts";
import type { BootReading } from "../plan/plan.ts";

/**
 * `clean`: nothing is lost and nobody dies, so nothing may be left over. `storm`: everything goes wrong. `busy`:
 * nothing is lost, and every process always wants more, so each must get its part.
 */
export type PermitProfile = "clean" | "storm" | "busy";

/** A stretch of world time. */
export interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What happens in a world of pacers, from one seed. */
export interface PermitPlan {
  readonly seed: number;
  readonly profile: PermitProfile;
  readonly everyMs: number;
  readonly burst: number;
  readonly maxReserved: number;
  readonly permitTtlMs: number;
  readonly strict: boolean;
  readonly block: number;
  readonly hints: boolean;
  /** Callers come until then; then faults are over, and everything is closed. */
  readonly activeMs: number;
  readonly processes: readonly ProcessPlan[];
  /** The store is stopped (calls wait) or refuses connections. */
  readonly outages: readonly (Span & { readonly refuses: boolean })[];
}

/** One process. */
export interface ProcessPlan {
  readonly bursts: readonly { readonly atMs: number; readonly callers: number }[];
  readonly pauses: readonly Span[];
  readonly crashAtMs: number;
  /** When its machine is suspended and its clock stands still, and how it tells that afterwards. */
  readonly sleep?: Span;
  readonly bootReading?: BootReading;
  /** Usual time each way. */
  readonly latencyMs: number;
  /** Chance of each: lost call, lost reply, repeated call, very late call or reply. */
  readonly fault: number;
}

/** The plan of a seed. */
export function permitPlan(seed: number, profile: PermitProfile): PermitPlan {
  const random = new Random(seed, `permits ${profile}`);
  const storm = profile === "storm";
  const busy = profile === "busy";
  const everyMs = random.pick(busy ? [20, 50, 100] : [0.5, 3, 10, 40, 150, 1_000]);
  const activeMs = busy ? everyMs * 300 : Math.min(20_000, Math.max(2_000, everyMs * 60));
  const at = (): number => random.between(0, activeMs);
  const spans = (most: number, longestMs: number): Span[] =>
    Array.from({ length: random.integer(0, storm ? most : 0) }, () => {
      const fromMs = at();
      return { fromMs, untilMs: fromMs + random.between(1, longestMs) };
    });
  const permitTtlMs = busy ? 250 : random.pick([30, 100, 250, Math.max(everyMs, 250)]);
  const count = busy ? random.integer(2, 5) : random.integer(1, 5);
  const sameLatencyMs = random.between(0.1, busy ? everyMs / 4 : 10);
  const processes = Array.from({ length: count }, (): ProcessPlan => {
    const bursts = Array.from({ length: busy ? 1 : random.integer(1, 6) }, (_, i) => ({
      atMs: busy || i === 0 ? 0 : at(),
      callers: busy ? 8 : random.chance(0.02) ? 1_000 : random.integer(1, 30),
    }));
    return {
      bursts,
      pauses: spans(2, permitTtlMs * 4),
      crashAtMs: storm && random.chance(0.15) ? at() : Number.POSITIVE_INFINITY,
      latencyMs: busy ? sameLatencyMs : random.pick([0.1, 1, 10, sameLatencyMs]),
      fault: storm ? random.pick([0, 0.01, 0.1]) : 0,
    };
  });
  return {
    seed,
    profile,
    everyMs,
    burst: busy ? 1 : random.pick([1, 1, 1, 2, 5]),
    maxReserved: busy ? random.pick([0, 10, 100]) : random.pick([0, 1, 3, 10, 100]),
    permitTtlMs,
    strict: !busy && random.chance(0.25),
    block: random.pick([1, 1_000, 1_000]),
    hints: random.chance(0.5),
    activeMs,
    processes,
    outages: spans(2, 3_000).map((span) => ({ ...span, refuses: random.chance(0.5) })),
  };
}
