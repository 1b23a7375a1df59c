import { isDtError, type LimitTarget, MemoryStore, systemRuntime } from "@dt/core";
import { failure } from "@dt-tooling/backends/failure";
import { RandomOperations } from "@dt-tooling/simulator/budget-operations";
import { Random } from "@dt-tooling/simulator/random";
import { spendRequest } from "@dt-tooling/simulator/requests";
import { expect, test } from "vitest";
import { budgetKeys, limitKey } from "../src/keys.ts";
import { redis, store, useServer } from "./support/own-server.ts";
import { ScriptedBudgets } from "./support/scripted-budgets.ts";

/** The scripts of budgets against the arithmetic of @dt/core, where the limits of the budget are stored (B13). */

useServer();

const START_MS = 4_000_000_000_000;
const TARGET: LimitTarget = { kind: "budget", name: "b" };
const came = new Set<string>();

const messageOf = (error: unknown): string => {
  if (isDtError(error, "DT_PACE_MISMATCH")) return error.message;
  throw error;
};

test.each([1, 2, 3, 4, 5, 6, 7, 8])("over 400 random operations, seed %i", async (seed) => {
  let clockMs = START_MS;
  const reference = new MemoryStore({ runtime: { ...systemRuntime, now: () => clockMs } });
  const budgets = new ScriptedBudgets(redis, `stored-budgets-${process.pid}-${seed}`);
  const operations = new RandomOperations(seed, START_MS);
  const random = new Random(seed);
  const part = random.between(0.3, 1);
  let names: readonly string[] = [];
  for (let i = 0; i < 400; i++) {
    const operation = operations.next();
    clockMs = operation.clockMs;
    const what = `${seed}, ${i}: ${JSON.stringify(operation)}`;
    if (names.length > 0 && random.chance(0.04)) {
      const named = names.filter((_, place) => place === 0 || random.chance(0.5));
      const values = Object.fromEntries(named.map((name) => [name, random.integer(1, 200)]));
      const isSet = random.chance(0.75);
      const forMs = random.chance(0.3) ? random.integer(10, 3_000) : undefined;
      const change = isSet ? { values, ...(forMs !== undefined && { forMs }) } : { values: undefined };
      const { revision, untilMs = null } = await reference.setLimit(TARGET, { ...change, by: "ann" });
      await budgets.setLimit("b", { revision, untilMs, values: isSet ? JSON.stringify(values) : null, history: "[]" });
    }
    if (operation.kind === "reset") {
      await budgets.reset("b", clockMs);
      await reference.resetBudget("b");
    } else {
      const request = { ...operation.request, ...(random.chance(part) && { stored: true }) };
      names = request.limits.map(({ name }) => name);
      const mine = await budgets.spend("b", request, clockMs).catch(messageOf);
      const theirs = await reference.spend("b", request).catch(messageOf);
      expect(mine, what).toEqual(theirs);
      if (typeof theirs === "string") came.add("terms");
      else {
        operations.answered(operation.request, theirs);
        came.add(theirs.maxes ? "limits count" : "no limits count");
        if (request.reserve && !theirs.granted) came.add("refused");
      }
    }
    if (i % 3 === 0) {
      clockMs += [0, 10, 0.5, 20_000, 3.5][i % 5] as number;
      const left = await reference.inspectBudget("b");
      expect(await budgets.inspect("b", clockMs), what).toEqual(left);
      if (left?.stored) came.add(`copy ${Math.sign(left.stored.revision)}`);
    }
  }
});

test("and everything that can happen was among it", () => {
  const all = ["copy -1", "copy 0", "copy 1", "limits count", "no limits count", "refused", "terms"];
  expect([...came].sort()).toEqual(all);
});

test("a damaged record refuses what is new, makes nothing, and is replaced when the limits are set anew", async () => {
  const target: LimitTarget = { kind: "budget", name: "damaged" };
  await redis.hset(limitKey("dt", target), "revision", "1", "values", "[]", "history", "[]");
  const error = await failure(store.spend("damaged", spendRequest({}, { stored: true })));
  expect(error).toMatchObject({ code: "DT_STORE_DATA", message: expect.stringContaining("holds values []") });
  expect(await redis.exists(...(budgetKeys("dt", "damaged").keys as [string]))).toBe(0);
  expect(await store.spend("damaged", spendRequest())).not.toHaveProperty("maxes");
  const { name } = spendRequest().limits[0] as { name: string };
  await store.setLimit(target, { values: { [name]: 7 }, by: "ann" });
  expect((await store.spend("damaged", spendRequest({}, { stored: true }))).maxes?.[0]).toBe(7);
  expect(await store.inspectBudget("damaged")).toMatchObject({ stored: { values: { [name]: 7 } } });
});
