import type { Random } from "../../random.ts";

/** Requests per second at an instant, in milliseconds since requests began; asked at rising instants. */
export type Rate = (atMs: number) => number;

/** What the callers of a fleet want. Figures in it are of the even part, `max / n`, unless it says otherwise. */
export interface Demand {
  readonly name: string;
  readonly what: string;
  /** How long a request waits for its token, in milliseconds. */
  readonly patienceMs: number;
  /** How requests are spaced: evenly at their rate, or as those of many independent callers. */
  readonly spacing: "even" | "poisson";
  /** The fleet's limit per second. */
  max(members: number): number;
  /** What one member's callers ask for. */
  rateOf(member: number, members: number, random: Random): Rate;
}

/** How long requests wait, unless nobody waits. */
const PATIENCE_MS = 2_000;
const TOKENS_PER_MEMBER = 10;
/** Members are busy for so much of the time, and then ask for so many times the even part: 84 % of the limit. */
const BUSY_PART = 0.3;
const BUSY_RATE = 2.8;

const usual = {
  patienceMs: PATIENCE_MS,
  spacing: "even",
  max: (members: number): number => TOKENS_PER_MEMBER * members,
} as const;

/** The even part a second, of a fleet with the usual limit. */
const EVEN = TOKENS_PER_MEMBER;

/** Every demand of the table, in its order. */
export const DEMANDS: readonly Demand[] = [
  {
    ...usual,
    name: "one-busy",
    what: "one member wants 150 % of the limit, the others nothing",
    rateOf: (member, members) => always(member === 0 ? 1.5 * EVEN * members : 0),
  },
  zipf("zipf-70", 70),
  zipf("zipf-150", 150),
  { ...zipf("zipf-150-poisson", 150), what: "the same, by chance (Poisson)", spacing: "poisson" },
  ...[2, 10, 60].map(onOff),
  ...[2, 10, 60].map((seconds) => impatient(onOff(seconds))),
  ...[50, 90, 120].map(poisson),
  impatient(poisson(90)),
  ...[60, 600].map(diurnal),
  {
    ...usual,
    name: "saturated",
    what: "each wants 150 % of its even part, all the time",
    rateOf: () => always(1.5 * EVEN),
  },
  {
    ...usual,
    name: "few-tokens",
    what: "`max` is a quarter of the members; each wants a token a second",
    max: (members) => Math.max(1, Math.floor(members / 4)),
    rateOf: () => always(1),
  },
];

function always(perSecond: number): Rate {
  return () => perSecond;
}

/** The busiest wants twice what the second does and three times what the third does, and so on. */
function zipf(name: string, percent: number): Demand {
  return {
    ...usual,
    name,
    what: `together ${percent} % of the limit, by Zipf's law: the k-th wants 1/k of what the first does`,
    rateOf: (member, members) => {
      let sum = 0;
      for (let rank = 1; rank <= members; rank++) sum += 1 / rank;
      return always(((percent / 100) * EVEN * members) / sum / (member + 1));
    },
  };
}

function onOff(seconds: number): Demand {
  return {
    ...usual,
    name: `on-off-${seconds}`,
    what: `each busy for 30 % of about ${seconds} s, then with ${BUSY_RATE} times its even part`,
    rateOf: (_member, _members, random) => phases(seconds * 1_000, random),
  };
}

/**
 * Busy and idle in turn; each phase takes half to one and a half of its mean, and the first has begun some time ago.
 */
function phases(periodMs: number, random: Random): Rate {
  let untilMs = -periodMs * random.between(1, 2);
  let busy = false;
  return (atMs) => {
    while (untilMs <= atMs) {
      busy = !busy;
      untilMs += periodMs * (busy ? BUSY_PART : 1 - BUSY_PART) * random.between(0.5, 1.5);
    }
    return busy ? BUSY_RATE * EVEN : 0;
  };
}

function poisson(percent: number): Demand {
  return {
    ...usual,
    name: `poisson-${percent}`,
    what: `each ${percent} % of its even part, by chance (Poisson)`,
    spacing: "poisson",
    rateOf: () => always((percent / 100) * EVEN),
  };
}

/** Nothing at its night, 2.5 times the even part at its noon, 95 % of it in the mean; noons are spread over the day. */
function diurnal(seconds: number): Demand {
  return {
    ...usual,
    name: `diurnal-${seconds}`,
    what: `days of ${seconds} s, by chance: nothing at night, 2.5 times its even part at noon, in the mean 95 %; noons are spread over the day`,
    spacing: "poisson",
    rateOf: (member, members) => (atMs) => {
      const wave = 1 + Math.cos(2 * Math.PI * (atMs / (seconds * 1_000) - member / members));
      return ((0.95 * EVEN) / 1.5) * wave * wave;
    },
  };
}

function impatient(demand: Demand): Demand {
  return { ...demand, name: `${demand.name}-nobody-waits`, what: "the same, but nobody waits", patienceMs: 0 };
}
