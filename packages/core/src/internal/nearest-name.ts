/**
 * Names that other libraries have for the same option. A slip of the pen is near the right name, a name of another
 * library is not.
 */
const SAME_MEANING: readonly (readonly string[])[] = [
  ["max", "limit", "rate", "points", "tokens", "requests", "capacity", "quota", "reservoir", "maxConcurrent"],
  ["interval", "window", "windowMs", "duration", "period", "per", "every", "minTime", "refreshInterval"],
  ["group", "key", "name", "id", "keyPrefix", "namespace"],
  ["cost", "weight", "points", "consume"],
  ["maxWaiters", "highWater", "maxQueue", "queueSize", "maxQueueSize"],
  ["timeout", "maxWait", "deadline", "expiration"],
  ["store", "storage", "client", "connection", "backend"],
  ["memberId", "id", "instanceId", "workerId", "nodeId"],
];

/**
 * The one of `names` that `name` is most likely meant for: the nearest in spelling (letter case does not count), or one
 * that means the same in other libraries. Undefined when there is none.
 */
export function meantName(name: string, names: ReadonlySet<string>): string | undefined {
  const nearest = nearestName(name, names);
  if (nearest !== undefined) return nearest;
  const meanings = SAME_MEANING.filter((group) => group.some((other) => other.toLowerCase() === name.toLowerCase()));
  return meanings.flat().find((other) => names.has(other));
}

/**
 * The one of `names` that `name` is most likely a slip of; undefined when none is near. Letter case does not count as a
 * difference.
 */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of names) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/**
 * Levenshtein distance: the fewest letters to insert, delete or replace that turn `from` into `to`. One row of the
 * table at a time.
 */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const replaced = (row[j] as number) + (from[i] === to[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
