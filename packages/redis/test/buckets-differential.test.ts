import { MemoryBucketTable, takeUnits } from "@dt/core/ledger";
import {
  compareBuckets,
  compareEdges,
  REACHABLE,
  REACHABLE_LIMITS,
  type Reached,
} from "@dt-tooling/simulator/bucket-operations";
import { Random } from "@dt-tooling/simulator/random";
import { describe, expect, test } from "vitest";
import { redis, useServer } from "./support/own-server.ts";
import { ScriptedBuckets } from "./support/scripted-buckets.ts";

/**
 * The scripts against the arithmetic of @dt/core: the same random operations at the same times, on a real server with a
 * test clock, must give the same answers, to the last digit of every number.
 */

useServer();

/** Times as they are now, and such that have fewer parts of a millisecond. */
const STARTS_MS = [1_795_000_000_000.123, 4_000_000_000_000] as const;
const everReached = new Set<Reached>();
const seeds = Array.from({ length: 16 }, (_, i) => i + 1);

describe("the scripts and the arithmetic of @dt/core agree", () => {
  test.each(seeds)("over 300 random operations, seed %i", async (seed) => {
    const buckets = new ScriptedBuckets(redis, `buckets-${process.pid}`);
    const startMs = STARTS_MS[seed % 4 < 2 ? 0 : 1];
    for (const what of await compareBuckets(buckets, { seed, operations: 300, startMs, name: `seed ${seed}` }))
      everReached.add(what);
  });

  test.each(STARTS_MS)("at the edges that chance seldom comes to, from %f on", async (startMs) => {
    await compareEdges(new ScriptedBuckets(redis, `edges-${process.pid}-${startMs}`), startMs);
  });

  test("and everything that can happen was among it", () => {
    expect([...everReached].sort()).toEqual([...REACHABLE, ...REACHABLE_LIMITS].sort());
  });

  // They have a way of their own in take.lua.
  test.each(STARTS_MS)("over 400 batches of requests that only take at once or look, from %f on", async (startMs) => {
    const random = new Random(startMs % 1_000);
    const buckets = new ScriptedBuckets(redis, `plain-${process.pid}-${startMs}`);
    const tables = new Map<string, MemoryBucketTable>();
    const limits = [
      { max: 5, windowMs: 1_000, burst: 10 },
      { max: 7, windowMs: 300, burst: 3 },
      { max: 0.3, windowMs: 1_000, burst: 1.5 },
    ] as const;
    const ofKey = (key: number) => limits[key % limits.length] as (typeof limits)[number];
    let clockMs: number = startMs;
    const came = new Set<string>();
    for (let i = 0; i < 400; i++) {
      clockMs += random.chance(0.03) ? random.between(-800, 20_000) : random.between(0, 250);
      const requests = Array.from({ length: random.integer(1, 5) }, () => {
        const key = random.integer(0, 5);
        const limit = random.chance(0.97) ? ofKey(key) : ofKey(key + 1);
        const cost = random.integer(0, Math.floor(limit.burst));
        const take = { cost, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 };
        return { name: "plain", key: String(key), limit, ...(cost > 0 && { take }) };
      });
      const expected = requests.map((request) => {
        const table = tables.get(request.key) ?? new MemoryBucketTable();
        tables.set(request.key, table);
        try {
          const answer = takeUnits(table, request, clockMs);
          came.add(answer.granted > 0 ? "granted" : (answer.limitedBy ?? "looked"));
          return answer;
        } catch (error) {
          came.add("mismatch");
          return error;
        }
      });
      expect(await buckets.take(requests, clockMs)).toEqual(expected);
    }
    expect([...came].sort()).toEqual(["granted", "looked", "mismatch", "rate"]);
  });
});
