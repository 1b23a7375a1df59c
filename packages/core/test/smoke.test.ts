import { expect, it } from "vitest";
import { createThrottle, MemoryStore } from "../src/index.ts";
import { VirtualRuntime } from "../src/testing/index.ts";

it("two members share a limit of 10 a second once they agree", async () => {
  const runtime = new VirtualRuntime();
  const store = new MemoryStore({ runtime });
  const a = createThrottle({ name: "g", max: 10, store, runtime, memberId: "a" });
  const b = createThrottle({ name: "g", max: 10, store, runtime, memberId: "b" });
  await a.start();
  await runtime.advance(1_000);
  expect(a.tryAcquire(100)).toBe(10);
  await b.start();
  await runtime.advance(3_000);
  expect(a.tryAcquire(100) + b.tryAcquire(100)).toBe(10);
  await a.stop();
  await runtime.advance(2_000);
  expect(b.tryAcquire(100)).toBe(10);
  await b.stop();
  expect(runtime.pendingTimers).toBe(0);
});
