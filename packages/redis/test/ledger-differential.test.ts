import type { View } from "@dt/core";
import {
  Both,
  compareLedgers,
  compareMassDeath,
  compareTurns,
  REACHABLE,
  REACHABLE_LIMITS,
  type Reached,
} from "@dt-tooling/simulator/ledger-operations";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import { redis, useServer } from "./support/own-server.ts";
import { ScriptedLedger } from "./support/scripted-ledger.ts";

/**
 * The scripts against the ledger of @dt/core: the same random operations at the same times, on a real server with a
 * test clock, must give the same views, refusals and snapshots, to the last digit of every time.
 */

useServer();

const scripted = (name: string): ScriptedLedger => new ScriptedLedger(redis, `${name}-${process.pid}`);

const OPERATIONS = 400;
/** Later than any real time, so that the server does not find the keys expired. */
const START_MS = 4_000_000_000_000;
/** Within a step of the grid on which members expire, and beyond: see table.lua. */
const STALE_AGES = [
  [9_000, 8_192.5, 2_500],
  [4_000, 4_000.5, 2_500],
] as const;
const everReached = new Set<Reached>();
const seeds = Array.from({ length: 12 }, (_, i) => i + 1);

describe("the scripts and the ledger of @dt/core agree", () => {
  test.each(seeds)("over 400 random operations, seed %i", async (seed) => {
    const staleAges = STALE_AGES[seed % 2] as readonly number[];
    const options = { seed, operations: OPERATIONS, startMs: START_MS, staleAges };
    for (const what of await compareLedgers(scripted("differential"), options)) everReached.add(what);
  });

  test.each([
    [4, 2, 4],
    [4, 5, 4],
    [5, 3, 5],
    [7, 200, 7],
    [60, 200, 60],
    // The others share evenly, and take turns as well.
    [4, 1, 1],
    [5, 3, 2],
    [12, 10, 1],
    [60, 20, 59],
  ])("over 600 reports of %i members that take turns at %i tokens, %i by demand", (size, max, demanding) =>
    compareTurns(scripted("turns"), { size, max, demanding, reports: 600, startMs: START_MS }),
  );

  test("and every kind of answer was among them", () => {
    expect([...everReached].sort()).toEqual([...REACHABLE, ...REACHABLE_LIMITS].sort());
  });

  // The sorted set of expiry has the latter on a grid: see table.lua.
  test.each([
    [8_000, [1_151, 1_151, 1_151, 151, 1, 1, 1]],
    [10_000, [1_151, 1_151, 1_151, 1_151, 151, 1, 1]],
  ])(
    "when 1,150 members die at once whose stale age is %i ms: 1,000 go with each operation, and their levels are remembered",
    async (staleAfterMs, memberCounts) => {
      const sizes = await compareMassDeath(scripted("mass-death"), START_MS, String(staleAfterMs), () => staleAfterMs);
      expect(sizes).toEqual(memberCounts);
    },
  );

  test("when 1,150 members go silent one after the other, those that are looked at last first", async () => {
    const both = new Both(scripted("slow-death"), "g");
    const silent = Array.from({ length: 1_150 }, (_, i) =>
      newcomer({ incarnation: `boot-${9_999 - i}`, max: 5_000, staleAfterMs: 10_000 }),
    );
    // Its time is over first: then somebody looks, and sees 1,000 of the others, and the rest with the next report.
    const scout = newcomer({ incarnation: "boot-0", max: 5_000, staleAfterMs: 8_500 });
    const survivor = newcomer({ max: 5_000, staleAfterMs: 100_000 });
    let view: View | undefined;
    for (const [i, registration] of [...silent, scout, survivor].entries()) {
      view = await both.register(registration, START_MS + i);
    }
    const sizes = new Set<number>();
    for (let [seq, afterMs] = [2, 2_000]; afterMs < 12_000; afterMs += afterMs < 9_000 ? 1_000 : 50) {
      const report = adopting(view as View, seq++);
      view = await both.sync(survivor, report, START_MS + afterMs, `after ${afterMs} ms`);
      sizes.add(accepted(view).members);
    }
    expect(sizes.size).toBeGreaterThan(20);
  });
});
