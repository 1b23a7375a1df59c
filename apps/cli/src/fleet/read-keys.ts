import type { BucketRef } from "@dt/core";
import type { ReadKey } from "./judge-keyed.ts";
import { allOf, keysOf } from "./list-names.ts";
import { type Reading, readKey, readKeyed } from "./read-limiter.ts";
import type { ReadOptions } from "./read-options.ts";
import type { LimiterReport } from "./report.ts";
import { CONCURRENCY, each } from "./requests.ts";

/** The most keys that a report looks at where nothing else was asked for. */
const MOST_KEYS = 1_000;

/** Keys of one limit. */
interface Keys {
  readonly name: string;
  /** Keys in use, as far as they were counted. */
  readonly count: number;
  readonly read: readonly ReadKey[];
}

/** The keyed limits that are asked for; none where the store has no list of keys. */
export async function readKeys(reading: Reading, options: ReadOptions): Promise<readonly LimiterReport[]> {
  const { kind = "keyed", name, key } = options.only ?? {};
  if (kind !== "keyed") return [];
  if (name !== undefined && key !== undefined) return readOne(reading, { name, key });
  const limits = (await (options.memory ? inTurns(reading, options) : atOnce(reading, options))).filter(
    (limit) => limit.count > 0 && (name === undefined || limit.name === name),
  );
  return each(limits, options.concurrency ?? CONCURRENCY, (limit) =>
    readKeyed(reading, limit.name, limit.read, limit.count),
  );
}

async function readOne(reading: Reading, ref: BucketRef): Promise<readonly LimiterReport[]> {
  const read = await readKey(reading, ref);
  return isThere(read) ? [await readKeyed(reading, ref.name, [read], 1, ref.key)] : [];
}

/** Goes on where the reader was. */
async function inTurns(
  reading: Reading,
  { memory, keys = MOST_KEYS, concurrency = CONCURRENCY }: ReadOptions,
): Promise<readonly Keys[]> {
  const page = keysOf(reading.store, reading.requests);
  if (page === undefined || memory === undefined) return [];
  const refs = await memory.keys.next(page, keys);
  const read = await each(refs, concurrency, (ref) => readKey(reading, ref));
  for (const [at, ref] of refs.entries()) memory.keys.take(ref, read[at] as ReadKey);
  return memory.keys.limits();
}

/** Counts all keys and looks at the same number of each limit, where there are too many. */
async function atOnce(
  reading: Reading,
  { only: { name } = {}, keys = MOST_KEYS, concurrency = CONCURRENCY }: ReadOptions,
): Promise<readonly Keys[]> {
  const page = keysOf(reading.store, reading.requests);
  if (page === undefined) return [];
  const limits = new Map<string, Set<string>>();
  for (const ref of await allOf(page)) {
    if (name !== undefined && ref.name !== name) continue;
    const all = limits.get(ref.name) ?? new Set();
    limits.set(ref.name, all.add(ref.key));
  }
  const part = evenPart(
    [...limits.values()].map(({ size }) => size),
    keys,
  );
  const refs = [...limits].flatMap(([limit, all]) => [...all].slice(0, part).map((key) => ({ name: limit, key })));
  const read = await each(refs, concurrency, (ref) => readKey(reading, ref));
  return [...limits].map(([limit, all]) => {
    const looked = read.filter((_, at) => refs[at]?.name === limit);
    const there = looked.filter(isThere);
    return { name: limit, count: all.size - (looked.length - there.length), read: there };
  });
}

/** False for a key of which nothing is left. */
function isThere({ snapshot, error }: ReadKey): boolean {
  return snapshot !== undefined || error !== undefined;
}

/** The largest number that each may have at most, so that all together have at most so many. */
function evenPart(counts: readonly number[], most: number): number {
  let left = most;
  const sorted = counts.toSorted((one, other) => one - other);
  for (const [at, count] of sorted.entries()) {
    const part = Math.floor(left / (sorted.length - at));
    if (count > part) return part;
    left -= count;
  }
  return most;
}
