import type { Arrivals } from "./arrivals.ts";

/** What the oracle is given. Times in milliseconds since requests began; epochs begin at whole multiples. */
export interface OracleWorld {
  readonly arrivals: readonly Arrivals[];
  readonly max: number;
  readonly epochMs: number;
  readonly patienceMs: number;
  /** Only grants of epochs that begin within these times are counted. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * What an oracle would grant each member: one that knows, at the beginning of an epoch, every request that waits or
 * will arrive in it, and divides the limit at once and max-min fairly, in whole tokens. It looks no farther than the
 * epoch.
 * Requests are served in the order they came; one that is not served waits as long as its patience lasts, and in the
 * epoch in which that ends it can still be served. So a fleet may come out a little above it: a request that the oracle
 * serves late is served by nobody where another choice would have been to leave it.
 */
export function oracle({ arrivals, max, epochMs, patienceMs, fromMs, untilMs }: OracleWorld): number[] {
  const granted = arrivals.map(() => 0);
  /** The first request of each member that is neither served nor gone, and the first that has not come yet. */
  const first = arrivals.map(() => 0);
  const next = arrivals.map(() => 0);
  const turns = arrivals.map(() => 0);
  for (let startMs = 0; startMs < untilMs; startMs += epochMs) {
    const wants = arrivals.map((times, member) => {
      const come = countBefore(times, startMs + epochMs, next[member] as number);
      const alive = countGone(times, startMs, patienceMs, first[member] as number);
      next[member] = come;
      first[member] = alive;
      return come - alive;
    });
    for (const [member, tokens] of maxMin(wants, max, turns).entries()) {
      first[member] = (first[member] as number) + tokens;
      if (startMs >= fromMs) granted[member] = (granted[member] as number) + tokens;
    }
  }
  return granted;
}

function countBefore(times: Arrivals, untilMs: number, from: number): number {
  let at = from;
  while (at < times.length && (times[at] as number) < untilMs) at += 1;
  return at;
}

/** Requests came before this epoch and are tired of waiting when it begins. */
function countGone(times: Arrivals, startMs: number, patienceMs: number, from: number): number {
  let at = from;
  while (at < times.length && (times[at] as number) < startMs && (times[at] as number) + patienceMs <= startMs) at += 1;
  return at;
}

/**
 * Divides `max` so that nobody gets more than it wants, and whoever gets less gets as much as anybody. What cannot be
 * divided goes, a token each, to those who had fewest such turns.
 * @param turns how many each has had; counted on
 */
export function maxMin(wants: readonly number[], max: number, turns: number[]): number[] {
  const ascending = [...wants].sort((a, b) => a - b);
  let left = max;
  let level = Number.POSITIVE_INFINITY;
  let takers = wants.length;
  for (const want of ascending) {
    if (want * takers > left) {
      level = Math.floor(left / takers);
      break;
    }
    left -= want;
    takers -= 1;
  }
  const parts = wants.map((want) => Math.min(want, level));
  if (takers === 0) return parts;
  const inTurn = [...wants.keys()]
    .filter((member) => (wants[member] as number) > level)
    .sort((a, b) => (turns[a] as number) - (turns[b] as number) || a - b)
    .slice(0, left - takers * level);
  for (const member of inTurn) {
    parts[member] = level + 1;
    turns[member] = (turns[member] as number) + 1;
  }
  return parts;
}
