import { isDtError, type LimitTarget, MemoryStore, systemRuntime } from "@dt/core";
import { failure } from "@dt-tooling/backends/failure";
import { RandomOperations } from "@dt-tooling/simulator/permit-operations";
import { Random } from "@dt-tooling/simulator/random";
import { permitRequest } from "@dt-tooling/simulator/requests";
import { expect, test } from "vitest";
import { limitKey, permitKeys } from "../src/keys.ts";
import { redis, store, useServer } from "./support/own-server.ts";
import { ScriptedPermits } from "./support/scripted-permits.ts";

/** The scripts of permits against the arithmetic of @dt/core, where the limit of the key is stored (P16). */

useServer();

const START_MS = 4_000_000_000_000;
const TARGET: LimitTarget = { kind: "permits", name: "k" };
const came = new Set<string>();

const messageOf = (error: unknown): string => {
  if (isDtError(error, "DT_PACE_MISMATCH")) return error.message;
  throw error;
};

test.each([1, 2, 3, 4, 5, 6, 7, 8])("over 400 random operations, seed %i", async (seed) => {
  let clockMs = START_MS;
  const reference = new MemoryStore({ runtime: { ...systemRuntime, now: () => clockMs } });
  const permits = new ScriptedPermits(redis, `stored-permits-${process.pid}-${seed}`);
  const operations = new RandomOperations(seed, START_MS);
  const random = new Random(seed);
  const part = random.between(0.3, 1);
  for (let i = 0; i < 400; i++) {
    const operation = operations.next();
    clockMs = operation.clockMs;
    const what = `${seed}, ${i}: ${JSON.stringify(operation)}`;
    if (random.chance(0.04)) {
      const everyMs = [0.5, 20, 100.25, 5_000][random.integer(0, 3)] as number;
      const values = { everyMs, ...(random.chance(0.5) && { burst: random.integer(1, 9) }) };
      const isSet = random.chance(0.75);
      const forMs = random.chance(0.3) ? random.integer(10, 3_000) : undefined;
      const change = isSet ? { values, ...(forMs !== undefined && { forMs }) } : { values: undefined };
      const { revision, untilMs = null } = await reference.setLimit(TARGET, { ...change, by: "ann" });
      await permits.setLimit("k", { revision, untilMs, values: isSet ? JSON.stringify(values) : null, history: "[]" });
    }
    if (operation.kind === "release") {
      await permits.release("k", operation.release, clockMs);
      await reference.release("k", operation.release);
    } else if (operation.kind === "reset") {
      await permits.reset("k", clockMs);
      await reference.resetPermits("k");
    } else {
      const request = { ...operation.request, ...(random.chance(part) && { stored: true }) };
      const mine = await permits.reserve("k", request, clockMs).catch(messageOf);
      const theirs = await reference.reserve("k", request).catch(messageOf);
      expect(mine, what).toEqual(theirs);
      if (typeof theirs === "string") came.add("terms");
      else operations.answered(operation.request, theirs);
      if (typeof theirs !== "string") came.add(theirs.limit ? "a limit counts" : "no limit counts");
    }
    if (i % 3 === 0) {
      clockMs += [0, 10, 0.5, 20_000, 3.5][i % 5] as number;
      const left = await reference.inspectPermits("k");
      expect(await permits.inspect("k", clockMs), what).toEqual(left);
      if (left?.stored) came.add(`copy ${Math.sign(left.stored.revision)}`);
    }
  }
});

test("and everything that can happen was among it", () => {
  expect([...came].sort()).toEqual(["a limit counts", "copy -1", "copy 0", "copy 1", "no limit counts", "terms"]);
});

test("a damaged record refuses what is new, makes nothing, and is replaced when the limit is set anew", async () => {
  const target: LimitTarget = { kind: "permits", name: "damaged" };
  await redis.hset(limitKey("dt", target), "revision", "1", "values", "[]", "history", "[]");
  const request = { ...permitRequest(), stored: true };
  const error = await failure(store.reserve("damaged", request));
  expect(error).toMatchObject({ code: "DT_STORE_DATA", message: expect.stringContaining("holds values []") });
  expect(await redis.exists(...(permitKeys("dt", "damaged").keys as [string]))).toBe(0);
  expect(await store.reserve("damaged", permitRequest())).not.toHaveProperty("limit");
  await store.setLimit(target, { values: { everyMs: 7 }, by: "ann" });
  expect(await store.reserve("damaged", { ...permitRequest(), stored: true })).toMatchObject({ limit: { everyMs: 7 } });
  expect(await store.inspectPermits("damaged")).toMatchObject({ stored: { values: { everyMs: 7 } } });
});
