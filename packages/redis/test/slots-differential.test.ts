import { compareSlots, SLOTS_REACHABLE, type SlotsReached } from "@dt-tooling/simulator/ledger-operations";
import { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import { HintedLedger } from "./support/hinted-ledger.ts";
import { afterwards } from "./support/keep.ts";
import { redis, server, useServer } from "./support/own-server.ts";

/**
 * The scripts of a semaphore against the ledger of @dt/core: the same random operations at the same times, on a real
 * server with a test clock, must give the same views, rows and hints, to the last digit of every time.
 */

useServer();

/** Later than any real time, so that the server does not find the keys expired. */
const START_MS = 4_000_000_000_000;
const everReached = new Set<SlotsReached>();
const seeds = Array.from({ length: 16 }, (_, i) => i + 1);

describe("the scripts of a semaphore and the ledger of @dt/core agree", () => {
  test.each(seeds)("over 400 random operations, seed %i", async (seed) => {
    const subscriber = new Redis(server.url);
    afterwards(() => subscriber.disconnect());
    const groups = new HintedLedger(redis, subscriber, `slots-differential-${process.pid}`);
    const options = { seed, operations: 400, startMs: START_MS };
    for (const what of await compareSlots(groups, options)) everReached.add(what);
  });

  test("and every kind of answer and hint was among them", () => {
    expect([...everReached].sort()).toEqual([...SLOTS_REACHABLE].sort());
  });
});
