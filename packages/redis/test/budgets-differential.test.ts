import { compareBudgets, compareEdges, REACHABLE, type Reached } from "@dt-tooling/simulator/budget-operations";
import { spendRequest } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import { budgetKeys } from "../src/keys.ts";
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

test("a budget is kept by the server's clock, also when the budget's time is a day ahead since that clock went back", async () => {
  const prefix = `kept-${process.pid}`;
  const budgets = new ScriptedBudgets(redis, prefix);
  const dayMs = 86_400_000;
  for (const ms of [START_MS + dayMs, START_MS, START_MS + dayMs + 300_000])
    await budgets.spend("b", spendRequest({ keepMs: 150_000 }), ms);
  const keptMs = await Promise.all(budgetKeys(prefix, "b").keys.map((key) => redis.pexpiretime(key)));
  // The lease, and two minutes more.
  expect(new Set(keptMs)).toEqual(new Set([START_MS + dayMs + 300_000 + 150_000 + 120_000]));
});
