import { expect, it } from "vitest";
import { createThrottle, MemoryStore } from "../src/index.ts";
import { VirtualRuntime } from "../src/testing/index.ts";

it.each(["even", undefined] as const)("two members share a limit of 10 a second: %s", async (shares) => {
  const runtime = new VirtualRuntime();
  const store = new MemoryStore({ runtime });
  const options = { name: "g", max: 10, store, runtime, ...(shares && { shares }) };
  const a = createThrottle({ ...options, memberId: "a" });
  const b = createThrottle({ ...options, memberId: "b" });
  const second = async (): Promise<number> => {
    await runtime.advance(1_000);
    return a.tryAcquireUpTo(100) + b.tryAcquireUpTo(100);
  };
  await a.start();
  await runtime.advance(1_000);
  expect(a.tryAcquireUpTo(100)).toBe(10);
  await b.start();
  for (let passed = 0; passed < 3; passed++) expect(await second()).toBeLessThanOrEqual(10);
  expect(await second()).toBe(10);
  await a.stop();
  await runtime.advance(2_000);
  expect(b.tryAcquireUpTo(100)).toBe(10);
  await b.stop();
  expect(runtime.pendingTimers).toBe(0);
});
