import assert from "node:assert/strict";
import { createPacer, createThrottle, isDtError, MemoryStore } from "@dt/core";

const store = new MemoryStore();
// In an epoch of 100 ms a machine that stands still for 25 ms is one whose store is too slow.
const throttle = createThrottle({ name: "g", max: 5, interval: 500, store });
let granted = 0;
while (granted < 10) granted += await throttle.acquireUpTo(5);
await throttle.stop();
await assert.rejects(throttle.acquire(1), (error) => isDtError(error, "DT_STOPPED"));

const pacer = createPacer({ name: "k", every: 20, store });
const begun = performance.now();
await Promise.all([pacer.acquire(), pacer.acquire(), pacer.acquire()]);
assert.ok(performance.now() - begun >= 40);
await pacer.stop();
await store.close();
