import { expect, it } from "vitest";
import { runSemaphores } from "../../src/in-flight/run.ts";
import { redis } from "../../src/permits/stores/redis.ts";

/** Short times, so that the test is short; `npm run in-flight` has the usual ones, and other stores. */
const SETTINGS = { processes: 4, max: 4, staleAfterMs: 3_000, stopWithinMs: 600, callers: 2, holdMs: 60 };

it("whatever is killed, stopped or cut off, no more calls are in flight than max outside the named states", {
  timeout: 300_000,
}, async () => {
  const { violations, calls, seenMs, seen } = await runSemaphores(redis, SETTINGS);
  expect(violations).toEqual([]);
  expect(calls).toBeGreaterThan(500);
  // What the judge allows did happen: the faults were faults.
  for (const [state, ms] of Object.entries(seenMs)) expect(ms, state).toBeGreaterThan(0);
  expect(seen["the store stands still, for long: slots lost"]).toBeGreaterThan(0);
});
