import type { Random } from "../../random.ts";
import {
  CALLERS,
  type CallerKind,
  CHANGING_CALLERS,
  type Cut,
  type Fault,
  type Profile,
  type Settings,
} from "./plan.ts";

type Kind = Fault["kind"];

/** How often each kind comes, per profile: a bag to draw from. */
const everyday: readonly Kind[] = [
  ...["join", "join", "stop", "crash", "crash", "crash", "replace", "pause", "pause"],
  ...["cut", "cut", "cut", "slow", "slow", "lossy", "lossy", "set-max", "store-pause"],
] as Kind[];
const bags: Readonly<Record<Profile, readonly Kind[]>> = {
  atomic: [...everyday, "store-down", "store-clock", "store-lost", "lopsided"],
  collecting: [...everyday, "store-down", "lopsided"],
  storm: ["join", "join", "join", "stop", "crash", "crash", "replace", "slow", "lossy", "set-max"],
  "failover-loss": [...everyday, "failover", "failover", "failover", "failover", "store-down"],
  "hold-partition": [...everyday, "cut", "cut", "store-down", "store-down"],
  "floor-partition": [...everyday, "cut", "cut", "store-down", "store-down"],
  "abuse-of-the-prototype": ["join", "crash", "pause", "cut"],
  suspended: [...everyday, "lopsided", ...Array.from<Kind>({ length: 8 }).fill("suspend"), "store-down"],
};

/** Long enough for a process that boots meanwhile to learn the store's clock from lopsided round trips. */
const LOPSIDED_MS = 3_000;

/** What the faults of a plan are drawn within. */
export interface FaultFrame {
  readonly random: Random;
  readonly profile: Profile;
  readonly settings: Settings;
  /** Hosts that start at the beginning. */
  readonly count: number;
  readonly churnMs: number;
}

/** Faults at random, in order of time. */
export function faultsOf(frame: FaultFrame): Fault[] {
  const { random, profile, settings, churnMs } = frame;
  const faults: Fault[] = [];
  let hosts = frame.count;
  for (let left = numberOfFaults(random, profile, churnMs); left > 0; left--) {
    const atMs = random.between(1_000, churnMs - 500);
    const kind = random.pick(bags[profile]);
    const isNew = kind === "join" && random.chance(0.7);
    const member = `p${isNew ? hosts++ : random.integer(0, hosts - 1)}`;
    faults.push(faultOf(frame, kind, atMs, member));
    for (const companion of companionsOf(random, profile, kind)) {
      const laterMs = companion.afterMs + random.between(0, 1.5 * settings.syncIntervalMs);
      const whose = companion.kind === "join" ? `p${hosts++}` : member;
      faults.push(faultOf(frame, companion.kind, Math.max(1, Math.min(churnMs - 10, atMs + laterMs)), whose));
    }
  }
  if (profile !== "abuse-of-the-prototype") faults.push(...visitsOf(frame, faults, hosts));
  return withinAssumptions(
    faults.sort((a, b) => a.atMs - b.atMs),
    settings,
  );
}

/**
 * In half of the plans somebody comes now and then and leaves soon: others give tokens up and get them back, in one
 * epoch often, and what the visitor did not use starts there as well. Some come as a group that lost its data has just
 * learned.
 */
function visitsOf(frame: FaultFrame, faults: readonly Fault[], hosts: number): Fault[] {
  const { random, settings, churnMs } = frame;
  if (random.chance(0.5)) return [];
  const { intervalMs, learningMs } = settings;
  const losses = faults.flatMap((fault) =>
    fault.kind === "store-lost" ? [fault.atMs + fault.forMs + learningMs] : [],
  );
  const times = [
    ...Array.from({ length: random.integer(2, 8) }, () => random.between(2_000, churnMs - 500)),
    ...losses.flatMap((endMs) => [0, 1, 2].map(() => endMs + random.between(-1, 1) * intervalMs)),
  ];
  return times.flatMap((atMs, index): Fault[] => {
    const leavesMs = atMs + random.between(0.05, 1.5) * intervalMs;
    const member = `p${hosts + index}`;
    if (leavesMs > churnMs - 10) return [];
    return [faultOf(frame, "join", atMs, member), faultOf(frame, "stop", leavesMs, member)];
  });
}

interface Companion {
  readonly kind: Kind;
  /** Earliest, counted from the fault it comes with. */
  readonly afterMs: number;
}

/**
 * Troubles seldom come alone: a newcomer behind a bad link that dies soon, a join while the store's clock is set
 * or its data is gone.
 */
function companionsOf(random: Random, profile: Profile, kind: Kind): readonly Companion[] {
  if (profile === "abuse-of-the-prototype") return [];
  // A clock that is as far ahead as its bound allows, and leaves before it is corrected.
  if (kind === "lopsided")
    return [
      { kind: "replace", afterMs: 0 },
      { kind: "stop", afterMs: LOPSIDED_MS },
    ];
  if (kind === "store-clock") return random.chance(0.7) ? [{ kind: "join", afterMs: 0 }] : [];
  if (kind === "store-lost" && random.chance(0.5))
    return [
      { kind: "store-clock", afterMs: -5_000 },
      { kind: "join", afterMs: 0 },
    ];
  if (kind !== "join" && kind !== "crash" && kind !== "replace") return [];
  if (random.chance(0.15))
    return [
      { kind: "lossy", afterMs: -1_500 },
      { kind: "crash", afterMs: 300 },
    ];
  return random.chance(0.3) ? [{ kind: random.pick(["slow", "slow", "lossy", "cut", "pause"]), afterMs: -300 }] : [];
}

function numberOfFaults(random: Random, profile: Profile, churnMs: number): number {
  if (profile === "storm") return random.integer(20, 60);
  // One every five seconds, besides the joins and restarts that follow.
  if (profile === "abuse-of-the-prototype") return Math.round(churnMs / 5_000);
  return random.integer(2, 16);
}

function faultOf({ random, profile, settings, churnMs }: FaultFrame, kind: Kind, atMs: number, member: string): Fault {
  const leftMs = churnMs - atMs - 1;
  const forMs = Math.min(random.pick([random.between(50, 3_000), random.between(1_000, 12_000), 20_000]), leftMs);
  const prototype = profile === "abuse-of-the-prototype";
  switch (kind) {
    case "join":
    case "replace":
      return { atMs, kind, member, caller: prototype ? "greedy" : callerOf(random, settings) };
    case "stop":
      return { atMs, kind, member };
    case "crash":
      return {
        atMs,
        kind,
        member,
        restartAfterMs: random.pick([null, random.between(10, 500), random.between(500, 15_000)]),
      };
    case "pause":
      return { atMs, kind, member, forMs: prototype ? Math.min(20_000, leftMs) : forMs };
    case "suspend":
      return { atMs, kind, member, forMs: Math.min(leftMs, random.pick([forMs, random.between(5_000, 30_000)])) };
    case "cut":
      return { atMs, kind, member, forMs, how: random.pick<Cut>(["silent", "refused", "deaf"]) };
    case "slow":
      return { atMs, kind, member, forMs, delayMs: random.pick([random.between(20, 300), random.between(100, 3_000)]) };
    case "lopsided":
      return { atMs, kind, member, forMs: LOPSIDED_MS, delayMs: random.between(0.5, 0.9) * settings.clockErrorMs };
    case "lossy":
      return {
        ...{ atMs, kind, member, forMs },
        lost: prototype ? 0.3 : random.pick([0, 0.2, 0.5]),
        twice: prototype ? 0 : random.pick([0, 0.3]),
        late: prototype ? 0 : random.pick([0, 0.2]),
      };
    case "store-down":
    case "store-lost":
      return { atMs, kind, forMs: Math.min(forMs, random.between(50, 6_000)), how: random.pick(["silent", "refused"]) };
    case "store-pause":
      return { atMs, kind, forMs: Math.min(forMs, random.between(50, 6_000)) };
    case "store-clock":
      return { atMs, kind, byMs: stepOf(random, settings) };
    case "failover":
      return {
        ...{ atMs, kind, forMs: Math.min(leftMs, random.between(100, 5_000)) },
        lostMs: Math.min(
          atMs,
          random.pick([random.between(1, 200), random.between(100, 2_000), random.between(1_000, 10_000)]),
        ),
        clockByMs: random.pick([0, random.between(-200, 200)]),
      };
    case "set-max":
      return {
        ...{ atMs, kind, spreadMs: random.between(0, 5_000) },
        max: Math.max(1, Math.round(settings.max * random.pick([0.5, 0.7, 1, 1.5, 2]))),
      };
  }
}

function callerOf(random: Random, { shares }: Settings): CallerKind {
  return random.pick(["greedy", ...CALLERS, ...(shares ? CHANGING_CALLERS : [])] as const);
}

/** A step of the store's clock: back by anything, or forward. */
function stepOf(random: Random, settings: Settings): number {
  const anyMs = random.pick([random.between(1, 500), random.between(500, 5_000), random.between(5_000, 100_000)]);
  return random.chance(0.5) ? -anyMs : forwardStep(anyMs, settings);
}

/**
 * A step forward by what the margin between validity and stale age allows, of which a quarter of the stale age counts.
 */
function forwardStep(anyMs: number, { staleAfterMs, validityMs }: Settings): number {
  const marginMs = staleAfterMs - 1.002 * validityMs;
  return marginMs > staleAfterMs / 4 ? anyMs : Math.min(anyMs, marginMs);
}

/**
 * In half of the plans with a loss of data the store's clock jumps ahead once, soon after the first loss or while the
 * group learns. Learning is then long enough for survivors that come late and for the quarter of a stale age that the
 * jump counts. The draws are its own, so that it decides nothing else.
 */
export function jumpAfterLoss(
  { random, settings, churnMs }: FaultFrame,
  faults: readonly Fault[],
): { readonly settings: Pick<Settings, "learningMs">; readonly faults: Fault[] } | undefined {
  const loss = faults.find((fault) => fault.kind === "store-lost");
  if (!loss || random.chance(0.5)) return undefined;
  const { staleAfterMs, validityMs, intervalMs } = settings;
  const learningMs = Math.max(settings.learningMs, 1.002 * validityMs + staleAfterMs / 4 + intervalMs);
  const laterMs = random.pick([random.between(0, loss.forMs), random.between(0, learningMs)]);
  const byMs = forwardStep(Math.abs(stepOf(random, settings)), settings);
  const jump: Fault = { atMs: Math.min(churnMs - 10, loss.atMs + laterMs), kind: "store-clock", byMs };
  return { settings: { learningMs }, faults: [...faults, jump].sort((a, b) => a.atMs - b.atMs) };
}

/**
 * Leaves out what DESIGN, "Safety", leaves out: more than one forward step of the store's clock in a stale age. Where
 * the store loses its data, {@link jumpAfterLoss} adds the one forward step that there may be.
 */
function withinAssumptions(faults: readonly Fault[], { staleAfterMs, learningMs }: Settings): Fault[] {
  const loses = faults.some((fault) => fault.kind === "store-lost");
  let lastMs = Number.NEGATIVE_INFINITY;
  return faults.filter((fault) => {
    if (fault.kind !== "store-clock" || fault.byMs <= 0) return true;
    if (loses || fault.atMs - lastMs < 2 * staleAfterMs + learningMs) return false;
    lastMs = fault.atMs;
    return true;
  });
}
