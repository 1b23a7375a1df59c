import assert from "node:assert/strict";
import {
  classifier,
  classify,
  createAdaptiveRate,
  createAdaptiveThrottle,
  createRetryBudget,
  httpStatus,
} from "@dt/adaptive";
import { createThrottle, isDtError, MemoryStore } from "@dt/core";

// A callee that refuses everything is called less and less.
const adaptive = createAdaptiveThrottle({ classify: classifier(httpStatus) });
const refused = adaptive.wrap(async () => 429);
const ends = await Promise.allSettled(Array.from({ length: 50 }, () => refused()));
assert.equal(
  ends.every(({ value }) => value === 429),
  true,
);
const later = await Promise.allSettled(Array.from({ length: 500 }, () => refused()));
assert.ok(later.filter(({ reason }) => isDtError(reason, "DT_LIMITED")).length > 300);

// A rate that is learned caps the throttle of core, and lets go of it.
const store = new MemoryStore();
const throttle = createThrottle({ name: "smoke", max: 1_000, interval: "100ms", store });
const rate = createAdaptiveRate({ throttle });
(await rate.acquire()).success();
(await rate.acquire()).overload();
assert.ok(throttle.status().cap < 1_000);
rate.stop();
assert.equal(throttle.status().cap, undefined);
await throttle.stop();
await store.close();

// Calls are tried again, and answer as the last attempt did.
const budget = createRetryBudget({ baseDelay: 1 });
const answer = await budget.run(async (attempt) => new Response(null, { status: attempt < 2 ? 503 : 200 }));
assert.equal(answer.status, 200);
assert.equal(classify({ error: new DOMException("late", "TimeoutError") }).outcome, "overload");
