import { Random } from "../random.ts";

/** What every throttle of a run is configured with, and what happens around it. Times in milliseconds of true time. */
export interface Settings {
  readonly max: number;
  readonly members: number;
  readonly intervalMs: number;
  readonly staleAfterMs: number;
  readonly validityMs: number;
  readonly syncIntervalMs: number;
  readonly storeTimeoutMs: number;
  readonly clockErrorMs: number;
  /** Most by which a clock runs fast or slow, as a fraction. */
  readonly drift: number;
  /** One-way delay of a message that is not late, at most. */
  readonly latencyMs: number;
  /** The most tokens that a member takes at once; it does so about fifty times a second. */
  readonly takesMost: number;
  /** `demand` where the store of a member can. Default `even`. */
  readonly shares?: "even" | "demand";
  /**
   * `abuse`: everything happens to everybody. `succession`: one member after the other loses the server, goes on
   * with what it holds, and is replaced by one that comes while nobody else is there. `calm`: members only come.
   */
  readonly profile: "abuse" | "succession" | "calm";
  /** Time between two faults, on average. */
  readonly faultEveryMs: number;
  readonly churnMs: number;
  /** After churn everything heals; by the end of this all live members must agree. */
  readonly calmMs: number;
}

/** Settings that a seed decides. Half of them leave as little between validity and stale age as the core allows. */
export function settingsOf(seed: number): Settings {
  const random = new Random(seed, "settings");
  const intervalMs = random.chance(0.5) ? 1_000 : random.between(200, 2_000);
  const staleAfterMs = intervalMs + random.between(6_000, 12_000);
  const latencyMs = random.chance(0.3) ? 120 : 8;
  const longestMs = (staleAfterMs - intervalMs) / 1.01 - 2;
  const validityMs = random.chance(0.5) ? longestMs : 0.75 * (staleAfterMs - intervalMs);
  return {
    max: Math.floor(random.between(3, 200)),
    members: Math.floor(random.between(2, 9)),
    intervalMs,
    staleAfterMs,
    validityMs,
    syncIntervalMs: random.chance(0.7) ? 1_000 : random.between(300, validityMs / 3),
    storeTimeoutMs: 1_000,
    clockErrorMs: Math.max(2.5 * latencyMs, Math.min(250, intervalMs / 4)),
    drift: 0.0005,
    latencyMs,
    profile: random.chance(0.3) ? "succession" : "abuse",
    faultEveryMs: random.between(500, 4_000),
    churnMs: 60_000,
    calmMs: 4 * staleAfterMs + 10_000,
    // More than any share, or some of it: then some is left when it is given up.
    takesMost: random.chance(0.5) ? 1_000_000 : 4,
  };
}
