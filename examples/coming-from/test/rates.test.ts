import { type RedisServer, startRedis } from "@dt-tooling/backends";
import { afterAll, beforeAll, expect, it } from "vitest";
import { twoOf } from "./support/two-of.ts";

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis({ control: true });
});
afterAll(() => redis.stop());

/** 10 calls a second, and what comes late on a busy machine. */
const ABOUT_TEN = 18;

it.each(["p-throttle", "limiter", "effect"])(
  "two processes of %s make twice its limit, of @dt the limit",
  async (of) => {
    const before = await twoOf(`${of}/before.mjs`);
    expect(before.calls).toBe(40);
    expect(before.mostWithin(1_000)).toBeGreaterThanOrEqual(20);
    const after = await twoOf(`${of}/after.mjs`, redis);
    expect(after.calls).toBe(40);
    expect(after.mostWithin(1_000)).toBeLessThanOrEqual(ABOUT_TEN);
  },
);

it.each(["before", "after"])("two processes of bottleneck and of @dt keep one distance: %s", async (program) => {
  const callee = await twoOf(`bottleneck/${program}.mjs`, redis);
  expect(callee.calls).toBe(20);
  expect(callee.mostWithin(1_000)).toBeLessThanOrEqual(ABOUT_TEN);
});
