import { expect, it } from "vitest";
import { createThrottle, MemoryStore } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

it("a hundred processes that share ten calls a second take turns: none waits longer than twenty seconds, and all get the same", async () => {
  const runtime = new VirtualRuntime({ seed: 3 });
  const store = new MemoryStore({ runtime });
  const throttles = Array.from({ length: 100 }, () =>
    createThrottle({ name: "g", max: 10, shares: "even", store, runtime, acquireTimeout: "1h" }),
  );
  await Promise.all(throttles.map((throttle) => throttle.start()));
  for (let seconds = 0; !throttles.every((throttle) => throttle.status().agreed); seconds++) {
    if (seconds === 30) throw new Error("the group did not come to agree");
    await runtime.advance(1_000);
  }
  await runtime.advance(1_000);

  const waits: number[] = [];
  const served = throttles.map(() => 0);
  throttles.forEach((throttle, index) => {
    void (async () => {
      for (let last: number | undefined; ; last = runtime.now()) {
        if ((await throttle.acquireUpTo(1).catch(() => 0)) === 0) return;
        served[index] = (served[index] as number) + 1;
        if (last !== undefined) waits.push(runtime.now() - last);
      }
    })();
  });
  await runtime.advance(200_000);
  expect(Math.max(...waits) / 1_000).toBeLessThanOrEqual(20);
  expect(Math.min(...served)).toBeGreaterThanOrEqual(19);
  expect(Math.max(...served)).toBeLessThanOrEqual(21);
  await Promise.all(throttles.map((throttle) => throttle.stop()));
});
