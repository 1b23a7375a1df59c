import { expect, test } from "vitest";
import { type CoordinationStore, createThrottle, MemoryStore } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

test("who asks for more than a store keeps wants as much as it keeps", async () => {
  const runtime = new VirtualRuntime({ startMs: 10_000 });
  const store = new MemoryStore({ runtime });
  const throttle = createThrottle({ name: "g", max: 1e12, store, shares: "demand", runtime });
  const errors: string[] = [];
  throttle.on("storeError", ({ error }) => errors.push(error.message));
  await throttle.start();
  for (let i = 0; i < 40; i++) {
    throttle.tryAcquireUpTo(1e12);
    await runtime.advance(500);
  }
  expect(errors).toEqual([]);
});

test("who asked for all there is while the store was away joins when it is back", async () => {
  const runtime = new VirtualRuntime({ startMs: 10_000 });
  let away = true;
  class Away extends MemoryStore {
    override async register(...args: Parameters<CoordinationStore["register"]>): ReturnType<MemoryStore["register"]> {
      if (away) throw new Error("it is away");
      return super.register(...args);
    }
  }
  const onStoreLost = { type: "floor", maxMembers: 10 } as const;
  const store = new Away({ runtime });
  const throttle = createThrottle({ name: "g", max: 100, store, shares: "demand", runtime, onStoreLost });
  await throttle.start();
  const asks = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      throttle.tryAcquireUpTo(Number.MAX_SAFE_INTEGER);
      await runtime.advance(200);
    }
  };
  await asks(10);
  away = false;
  await asks(300);
  expect(throttle.status().generation).toBeGreaterThan(0);
});
