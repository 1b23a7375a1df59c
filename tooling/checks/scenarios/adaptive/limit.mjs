import assert from "node:assert/strict";
import { createConcurrencyLimit, fixed } from "@dt/adaptive";
import { isDtError } from "@dt/core";

const limit = createConcurrencyLimit({ algorithm: fixed(2), partitions: { checkout: 50 }, maxWaiters: 1 });
const slots = [limit.tryAcquire(), limit.tryAcquire(1, { partition: "checkout" })];
assert.equal(limit.tryAcquire(), undefined);
await assert.rejects(limit.acquire(1, { timeout: 20 }), (error) => isDtError(error, "DT_TIMEOUT"));

// A caller waits; one of a higher priority takes its place in the queue, and gets the slot that is settled at once.
const displaced = assert.rejects(limit.acquire(), (error) => isDtError(error, "DT_QUEUE_FULL"));
const important = limit.acquire(1, { priority: 1 });
await displaced;
slots[0].success({ queueWaitMs: 3 });
slots[0].overload();
assert.equal(limit.inflight, 2);
(await important)[Symbol.dispose]();
slots[1].failure();
assert.deepEqual([limit.inflight, limit.status().calls.granted], [0, 3]);

const work = limit.wrap(async (n) => n * 2, { cost: (n) => n });
assert.deepEqual(await Promise.all([work(1), work(2)]), [2, 4]);
assert.equal(await limit.drain(), true);
await assert.rejects(work(1), (error) => isDtError(error, "DT_STOPPED"));
