import type { Cut } from "../../fleet/plan/plan.ts";
import { Random } from "../../random.ts";
import { CHURN_MS, type Fault, type Profile, type SearchPlan, type Settings, type StoreKind, TIMES } from "./plan.ts";

const KINDS: readonly Fault["kind"][] = [
  ...["crash", "crash", "pause", "pause", "cut", "cut", "outage", "loss", "max", "max", "drain", "join"],
  ...["clock", "clock", "clock"],
] as Fault["kind"][];

const FAILOVERS: readonly Fault["kind"][] = ["failover", "failover", "failover", "failover"];

const MOST_HOSTS = 7;
const MOST_LOSSES = 2;
/** The store's clock is set once in a stale age at most: more is outside of the promise (R2). */
const CLOCK_EVERY_MS = TIMES.staleAfter;

/** The plan of a seed. Every store goes through the same. */
export function planOf(seed: number, profile: Profile, store: StoreKind): SearchPlan {
  const random = new Random(seed, `plan ${profile}`);
  const count = random.integer(2, 5);
  const max = random.integer(1, random.chance(0.5) ? count : 4 * count);
  const settings: Settings = {
    max,
    callers: random.integer(1, 6),
    holdMs: random.pick([5, 50, 500, 5_000]),
    dearest: random.chance(0.2) ? Math.min(3, max) : 1,
    lost: random.pick([0, 0, 0.02, 0.1]),
    late: random.pick([0, 0.02, 0.1]),
    twice: random.pick([0, 0.05]),
  };
  const hosts = Array.from({ length: count }, (_, index) => ({ name: `p${index}`, startMs: random.between(0, 3_000) }));
  return { seed, profile, store, settings, hosts, faults: faultsOf(random, profile, settings, count) };
}

function faultsOf(random: Random, profile: Profile, { max, dearest }: Settings, count: number): Fault[] {
  const times = Array.from({ length: random.integer(3, 14) }, () => random.between(3_000, CHURN_MS - 2_000));
  const faults: Fault[] = [];
  const names = Array.from({ length: count }, (_, index) => `p${index}`);
  let losses = 0;
  let clockMs = Number.NEGATIVE_INFINITY;
  for (const atMs of times.sort((a, b) => a - b)) {
    const kind = random.pick(profile === "failover" ? [...KINDS, ...FAILOVERS] : KINDS);
    const host = random.pick(names);
    const forMs = Math.min(-random.pick([4_000, 8_000]) * Math.log(1 - random.next()), CHURN_MS - atMs);
    switch (kind) {
      case "join":
        if (names.length >= MOST_HOSTS) break;
        names.push(`p${names.length}`);
        faults.push({ atMs, kind, host: names.at(-1) as string });
        break;
      case "crash":
        faults.push({ atMs, kind, host, restartAfterMs: random.chance(0.5) ? random.between(0, 2_000) : null });
        break;
      case "pause":
        if (profile !== "obeyed") faults.push({ atMs, kind, host, forMs });
        break;
      case "cut":
        faults.push({ atMs, kind, host, forMs, how: random.pick<Cut>(["silent", "silent", "refused", "deaf"]) });
        break;
      case "drain":
        faults.push({ atMs, kind, host });
        break;
      case "outage":
        faults.push({ atMs, kind, forMs, how: random.pick(["silent", "refused", "paused"] as const) });
        break;
      case "loss":
        if (++losses <= MOST_LOSSES) faults.push({ atMs, kind });
        break;
      case "failover":
        faults.push({ ...{ atMs, kind, forMs: random.between(100, 3_000) }, lostMs: random.between(1, 5_000) });
        break;
      case "clock":
        if (atMs - clockMs <= CLOCK_EVERY_MS) break;
        clockMs = atMs;
        faults.push({
          atMs,
          kind,
          byMs: random.chance(0.8) ? random.between(500, 60_000) : -random.between(500, 5_000),
        });
        break;
      case "max":
        faults.push({
          ...{ atMs, kind, spreadMs: random.between(0, 3_000) },
          max: Math.max(dearest, Math.round(max * random.pick([0.3, 0.5, 1, 1.5]))),
        });
    }
  }
  return faults;
}
