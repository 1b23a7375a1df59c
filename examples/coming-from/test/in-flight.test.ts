import { startRedis } from "@dt-tooling/backends";
import { expect, it, onTestFinished } from "vitest";
import { twoOf } from "./support/two-of.ts";

it("two processes of p-queue have twice its limit in flight, of @dt the limit", async () => {
  const before = await twoOf("p-queue/before.mjs", undefined, 300);
  expect([before.calls, before.mostInFlight]).toEqual([20, 4]);
  const after = await twoOf("p-queue/after.mjs", undefined, 300);
  expect([after.calls, after.mostInFlight]).toEqual([20, 2]);
});

it("two processes of redis-semaphore and of @dt have the limit in flight", async () => {
  const redis = await startRedis({ control: true });
  onTestFinished(() => redis.stop());
  for (const program of ["before", "after"]) {
    const callee = await twoOf(`redis-semaphore/${program}.mjs`, redis, 150);
    expect([callee.calls, callee.mostInFlight]).toEqual([12, 2]);
  }
});
