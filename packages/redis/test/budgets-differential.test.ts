import { compareBudgets, compareEdges, REACHABLE, type Reached } from "@dt-tooling/simulator/budget-operations";
import { describe, expect, test } from "vitest";
import { redis, useServer } from "./support/own-server.ts";
import { ScriptedBudgets } from "./support/scripted-budgets.ts";

/**
 * The scripts against the arithmetic of @dt/core: the same random operations at the same times, on a real server with a
 * test clock, must give the same answers, to the last digit of every time and of what is left.
 */

useServer();

/** Later than any real time, so that the server does not find the keys expired. */
const START_MS = 4_000_000_000_000;
const everReached = new Set<Reached>();
const seeds = Array.from({ length: 16 }, (_, i) => i + 1);

describe("the scripts and the arithmetic of @dt/core agree", () => {
  test.each(seeds)("over 600 random operations, seed %i", async (seed) => {
    const budgets = new ScriptedBudgets(redis, `budgets-${process.pid}-${seed}`);
    for (const what of await compareBudgets(budgets, { seed, operations: 600, startMs: START_MS }))
      everReached.add(what);
  });

  test("at the edges that chance seldom comes to", async () => {
    await compareEdges(new ScriptedBudgets(redis, `edges-${process.pid}`), START_MS);
  });

  test("and everything that can happen was among it", () => {
    expect([...everReached].sort()).toEqual([...REACHABLE].sort());
  });
});
