import assert from "node:assert/strict";
import { throttleFromNumaflow } from "@dt/numaflow";

const spec = {
  apiVersion: "numaflow.numaproj.io/v1alpha1",
  kind: "MonoVertex",
  metadata: { name: `smoke-${process.pid}` },
  spec: {
    limits: {
      readBatchSize: 10,
      rateLimit: {
        max: 100,
        store: { redisStore: { mode: "single", url: process.env.REDIS_URL ?? "redis://localhost:6379" } },
      },
    },
  },
};

const { throttle, messagesPerToken, close } = await throttleFromNumaflow(spec);
await throttle.acquire(1, { timeout: "50s" });
assert.equal(messagesPerToken, 10);
assert.equal(throttle.status().max, 10);
await close();
