import { Random } from "../engine/random.ts";
import {
  CALLERS,
  type CallerKind,
  type Cut,
  type Fault,
  type MemberPlan,
  type Plan,
  type Profile,
  type Settings,
} from "./plan.ts";

/** The plan of a seed: settings, hosts and faults, all at random within what the profile allows. */
export function planOf(seed: number, profile: Profile): Plan {
  const random = new Random(seed, `plan ${profile}`);
  const settings = settingsOf(random, profile);
  const count = random.integer(1, 6);
  const members: MemberPlan[] = Array.from({ length: count }, (_, index) => ({
    name: `p${index}`,
    startMs: random.between(0, 2_000),
    caller: callerOf(random),
  }));
  const churnMs = random.between(25_000, 45_000);
  return { seed, profile, settings, members, faults: faultsOf(random, settings, count, churnMs), churnMs };
}

function settingsOf(random: Random, _profile: Profile): Settings {
  const intervalMs = random.pick([1_000, 1_000, 500, 2_000]);
  const staleAfterMs = random.pick([8_000, 8_000, 10_000, 5_000]);
  const validityMs = random.pick([
    0.75 * (staleAfterMs - intervalMs),
    0.98 * staleAfterMs - intervalMs,
    0.4 * staleAfterMs,
  ]);
  const syncIntervalMs = Math.min(1_000, validityMs / 3);
  return {
    max: random.pick([1, 2, 3, 5, 7, 10, 50, 100, 101, 1_000]),
    intervalMs,
    staleAfterMs,
    validityMs,
    syncIntervalMs,
    storeTimeoutMs: Math.min(1_000, validityMs / 3),
    clockErrorMs: Math.min(250, intervalMs / 4),
    learningMs: Math.max(validityMs, 2 * syncIntervalMs + intervalMs),
    resumeWithinMs: random.pick([0, 60_000]),
    release: random.pick(["epoch", "epoch", "even"]),
    onStoreLost: "stop",
    push: random.chance(0.4),
    latencyMs: random.pick([1, 5, 20]),
    drift: 0.0004,
  };
}

function callerOf(random: Random): CallerKind {
  return random.pick(["greedy", ...CALLERS] as const);
}

const KINDS = [
  "join",
  "join",
  "stop",
  "crash",
  "crash",
  "crash",
  "pause",
  "pause",
  "cut",
  "cut",
  "cut",
  "slow",
  "slow",
  "lossy",
  "lossy",
  "store-down",
  "store-pause",
  "store-clock",
  "set-max",
] as const;

function faultsOf(random: Random, settings: Settings, count: number, churnMs: number): Fault[] {
  const faults: Fault[] = [];
  let newcomers = 0;
  for (let n = random.integer(2, 16); n > 0; n--) {
    const atMs = random.between(1_000, churnMs - 500);
    const member = `p${random.integer(0, count - 1 + newcomers)}`;
    const forMs = Math.min(
      random.pick([random.between(50, 3_000), random.between(1_000, 12_000), 20_000]),
      churnMs - atMs - 1,
    );
    const kind = random.pick(KINDS);
    switch (kind) {
      case "join":
        newcomers += 1;
        faults.push({
          atMs,
          kind,
          member: random.chance(0.7) ? `p${count - 1 + newcomers}` : member,
          caller: callerOf(random),
        });
        break;
      case "stop":
        faults.push({ atMs, kind, member });
        break;
      case "crash":
        faults.push({
          atMs,
          kind,
          member,
          restartAfterMs: random.pick([null, random.between(10, 500), random.between(500, 15_000)]),
        });
        break;
      case "pause":
        faults.push({ atMs, kind, member, forMs });
        break;
      case "cut":
        faults.push({ atMs, kind, member, forMs, how: random.pick<Cut>(["silent", "refused", "deaf"]) });
        break;
      case "slow":
        faults.push({
          atMs,
          kind,
          member,
          forMs,
          delayMs: random.pick([random.between(20, 300), random.between(100, 3_000)]),
        });
        break;
      case "lossy":
        faults.push({
          atMs,
          kind,
          member,
          forMs,
          lost: random.pick([0, 0.2, 0.5]),
          twice: random.pick([0, 0.3]),
          late: random.pick([0, 0.2]),
        });
        break;
      case "store-down":
        faults.push({
          atMs,
          kind,
          forMs: Math.min(forMs, random.between(50, 6_000)),
          loses: false,
          how: random.pick(["silent", "refused"]),
        });
        break;
      case "store-pause":
        faults.push({ atMs, kind, forMs: Math.min(forMs, random.between(50, 6_000)) });
        break;
      case "store-clock":
        faults.push({
          atMs,
          kind,
          byMs:
            random.pick([-1, 1]) *
            random.pick([random.between(1, 500), random.between(500, 5_000), random.between(5_000, 100_000)]),
        });
        break;
      case "set-max":
        faults.push({
          atMs,
          kind,
          max: Math.max(1, Math.round(settings.max * random.pick([0.5, 0.7, 1, 1.5, 2]))),
          spreadMs: random.between(0, 5_000),
        });
        break;
    }
  }
  return faults.sort((a, b) => a.atMs - b.atMs);
}
