import { expect, it } from "vitest";
import { settingsOf } from "../../src/budgets/options.ts";
import { runBudgets } from "../../src/budgets/run.ts";
import { redis } from "../../src/permits/stores/redis.ts";

it("whatever is killed, settled twice, cut off or forgotten, no window holds more than the books could know of", {
  timeout: 300_000,
}, async () => {
  // A short window, so that the test is short; `npm run budgets` has a longer one, and other stores.
  const { violations, calls, mostAfterLoss, overrun, seen } = await runBudgets(redis, {
    processes: 3,
    ...settingsOf(3_000, 150),
  });
  expect(violations).toEqual([]);
  expect(calls).toBeGreaterThan(300);
  // The faults were faults.
  expect(mostAfterLoss).toBeGreaterThan(0);
  expect(overrun).toBeGreaterThan(0);
  expect(seen["streams cut"]).toBeGreaterThan(0);
  expect(seen["reservations that came too late"]).toBeGreaterThan(0);
});
