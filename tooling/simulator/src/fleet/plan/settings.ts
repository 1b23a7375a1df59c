import type { Random } from "../../random.ts";
import type { BootReading, Profile, Settings } from "./plan.ts";

/** Settings at random, within what the constructor accepts and what the profile is about. */
export function settingsOf(random: Random, profile: Profile): Settings {
  if (profile === "abuse-of-the-prototype") return prototypeSettings(random);
  const intervalMs = random.pick([1_000, 1_000, 500, 2_000]);
  const staleAfterMs = random.pick([8_000, 8_000, 10_000, 5_000]);
  const longestMs = 0.985 * staleAfterMs - intervalMs;
  const validityMs = random.pick([0.75 * (staleAfterMs - intervalMs), longestMs, 0.4 * staleAfterMs]);
  const syncIntervalMs = Math.min(1_000, validityMs / 3);
  const latencyMs = random.pick([1, 5, 20]);
  const max = random.pick([1, 2, 3, 5, 7, 10, 50, 100, 101, 1_000]);
  const ramps = random.chance(0.15) && max > 1;
  return {
    max,
    min: ramps ? random.integer(0, max - 1) : max,
    rampUpMs: ramps ? intervalMs * random.integer(1, 8) : 0,
    mode: ramps ? random.pick(["relaxed", "scheduled", "goBackN", "onlyIfUsed"]) : "relaxed",
    intervalMs,
    staleAfterMs,
    validityMs,
    syncIntervalMs,
    storeTimeoutMs: Math.min(1_000, validityMs / 3),
    clockErrorMs: Math.min(250, intervalMs / 4),
    learningMs: learningOf(random, profile, validityMs, 2 * syncIntervalMs + intervalMs),
    resumeWithinMs: random.pick([0, 60_000]),
    release: random.pick(["epoch", "epoch", "even"]),
    onStoreLost: policyOf(profile, random),
    hints: random.chance(0.4),
    lost: 0,
    latencyMs,
    drift: 0.0004,
    // As small as round trips allow.
    ...(random.chance(0.3) && { smallClockErrorMs: 2.2 * latencyMs + 8 }),
    ...(profile === "suspended" && { bootReading: random.pick<BootReading>(["none", "exact", "seconds"]) }),
  };
}

/** What a member does without a valid share. */
function policyOf(profile: Profile, random: Random): Settings["onStoreLost"] {
  if (profile === "hold-partition") return { type: "hold", for: random.pick([5_000, 15_000, 60_000]) };
  if (profile === "floor-partition") return { type: "floor", maxMembers: random.pick([10, 20]) };
  return "stop";
}

/** A learning period as long as the validity is what makes a loss of data safe against survivors that come late. */
function learningOf(random: Random, profile: Profile, validityMs: number, defaultMs: number): number {
  const safeMs = Math.max(1.002 * validityMs, defaultMs);
  return profile === "failover-loss" ? random.pick([defaultMs, safeMs]) : safeMs;
}

/** The prototype's: stale age 8 s, everything else by default. */
function prototypeSettings(random: Random): Settings {
  return {
    max: 100,
    min: 100,
    rampUpMs: 0,
    mode: "relaxed",
    intervalMs: 1_000,
    staleAfterMs: 8_000,
    validityMs: 5_250,
    syncIntervalMs: 1_000,
    storeTimeoutMs: 1_000,
    clockErrorMs: 250,
    learningMs: 0,
    resumeWithinMs: 0,
    release: "epoch",
    onStoreLost: "stop",
    hints: false,
    lost: 0.05,
    latencyMs: random.pick([1, 5, 20]),
    drift: 0.0004,
  };
}
