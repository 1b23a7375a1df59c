import type { BucketAnswer, BucketRef, BucketRequest, DtError } from "@dt/core";
import { bucketName, inspectBucket, type LimitRecordRow, MemoryBucketTable, takeUnits } from "@dt/core/ledger";
import { answerOrRefusal } from "@dt/core/store";
import { expect, it } from "vitest";
import {
  compareBuckets,
  compareEdges,
  REACHABLE,
  REACHABLE_LIMITS,
  type Reached,
  type TimedBuckets,
} from "../../src/bucket-operations/index.ts";

const START_MS = 1_800_000_000_000;

type Right = Required<TimedBuckets>;

/** A ledger that is right. */
function ledger(): Right {
  const buckets = new Map<string, MemoryBucketTable>();
  const records = new Map<string, LimitRecordRow>();
  const tableOf = (bucket: BucketRef): MemoryBucketTable => {
    const table = buckets.get(bucketName(bucket)) ?? new MemoryBucketTable();
    buckets.set(bucketName(bucket), table);
    return table;
  };
  return {
    take: async (requests, clockMs) =>
      requests.map((request) =>
        answerOrRefusal(() => takeUnits(tableOf(request), request, clockMs, records.get(bucketName(request)))),
      ),
    reset: async (bucket) => tableOf(bucket).forget(),
    inspect: async (bucket, clockMs) => inspectBucket(tableOf(bucket), bucket, clockMs),
    setLimit: async (bucket, record) => void records.set(bucketName(bucket), record),
  };
}

const options = (seed: number) => ({ seed, operations: 600, startMs: START_MS });

it("a ledger that is right agrees, and everything that can happen happens", async () => {
  const reached = new Set<Reached>();
  for (let seed = 1; seed <= 16; seed++)
    for (const what of await compareBuckets(ledger(), options(seed))) reached.add(what);
  expect([...reached].sort()).toEqual([...REACHABLE, ...REACHABLE_LIMITS].sort());
  await compareEdges(ledger(), START_MS);
});

it("a ledger without stored limits is compared without them", async () => {
  const without = (): TimedBuckets => {
    const { setLimit: _, ...others } = ledger();
    return others;
  };
  const reached = new Set<Reached>();
  for (let seed = 1; seed <= 16; seed++)
    for (const what of await compareBuckets(without(), options(seed))) reached.add(what);
  expect([...reached].sort()).toEqual([...REACHABLE].sort());
  await compareEdges(without(), START_MS);
});

/** A ledger that is right but for one answer in a while, or one request. */
function altered(
  answer: (answer: BucketAnswer) => BucketAnswer,
  request: (request: BucketRequest, count: number) => BucketRequest = (asked) => asked,
): Right {
  const right = ledger();
  let count = 0;
  return {
    ...right,
    take: async (requests, clockMs) => {
      const answers = await right.take(
        requests.map((asked) => request(asked, ++count)),
        clockMs,
      );
      return answers.map((given): BucketAnswer | DtError => ("granted" in given ? answer(given) : given));
    },
  };
}

it.each<[what: string, seed: number, ledger: Right]>([
  [
    "is one unit in the last place off",
    1,
    altered((answer) => ({ ...answer, storeTimeMs: answer.storeTimeMs * (1 + Number.EPSILON) })),
  ],
  [
    "forgets one report of a hundred",
    3,
    altered(
      (answer) => answer,
      ({ hold, ...asked }, count) => (hold && count % 100 > 0 ? { ...asked, hold } : asked),
    ),
  ],
  [
    "does not read records",
    2,
    altered(
      (answer) => answer,
      (asked) => ({ ...asked, stored: false }),
    ),
  ],
  ["counts one slot too many", 5, altered((answer) => ({ ...answer, inFlight: Math.max(1, answer.inFlight) }))],
])("a ledger that %s is found out", async (_, seed, wrong) => {
  await expect(compareBuckets(wrong, options(seed))).rejects.toThrow(new RegExp(`seed ${seed}, \\d+: `));
});

it("a ledger that shows one unit too many in hand is found out", async () => {
  const right = ledger();
  const inspect: Right["inspect"] = async (bucket, clockMs) => {
    const snapshot = await right.inspect(bucket, clockMs);
    return snapshot && { ...snapshot, held: snapshot.held + (snapshot.held > 3 ? 1 : 0) };
  };
  await expect(compareBuckets({ ...right, inspect }, options(3))).rejects.toThrow(
    /what the bucket holds at .* after seed 3/,
  );
});
