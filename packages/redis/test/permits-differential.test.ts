import { compareEdges, comparePermits, REACHABLE, type Reached } from "@dt-tooling/simulator/permit-operations";
import { permitRequest } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import { permitKeys } from "../src/keys.ts";
import { redis, useServer } from "./support/own-server.ts";
import { ScriptedPermits } from "./support/scripted-permits.ts";

/**
 * The scripts against the arithmetic of @dt/core: the same random operations at the same times, on a real server with a
 * test clock, must give the same reservations and refusals, to the last digit of every time.
 */

useServer();

/** Later than any real time, so that the server does not find the keys expired. */
const START_MS = 4_000_000_000_000;
const everReached = new Set<Reached>();
const seeds = Array.from({ length: 16 }, (_, i) => i + 1);

describe("the scripts and the arithmetic of @dt/core agree", () => {
  test.each(seeds)("over 500 random operations, seed %i", async (seed) => {
    const permits = new ScriptedPermits(redis, `permits-${process.pid}-${seed}`);
    for (const what of await comparePermits(permits, { seed, operations: 500, startMs: START_MS }))
      everReached.add(what);
  });

  test("at the edges that chance seldom comes to", async () => {
    await compareEdges(new ScriptedPermits(redis, `edges-${process.pid}`), START_MS);
  });

  test("and everything that can happen was among it", () => {
    expect([...everReached].sort()).toEqual([...REACHABLE].sort());
  });
});

test("a key is kept by the server's clock, also when the key's time is a day ahead since that clock went back", async () => {
  const prefix = `kept-${process.pid}`;
  const permits = new ScriptedPermits(redis, prefix);
  const dayMs = 86_400_000;
  for (const ms of [START_MS + dayMs, START_MS, START_MS + dayMs + 100_000])
    await permits.reserve("k", permitRequest(), ms);
  const keptMs = await Promise.all(permitKeys(prefix, "k").keys.map((key) => redis.pexpiretime(key)));
  expect(new Set(keptMs)).toEqual(new Set([START_MS + dayMs + 100_000 + 61_000]));
});
