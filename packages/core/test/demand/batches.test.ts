import { expect, test } from "vitest";
import { createThrottle, MemoryStore } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

test("batches want what they read, not what a full one would hold: a busy neighbour has the rest", async () => {
  const runtime = new VirtualRuntime({ startMs: 1_000_000 });
  const store = new MemoryStore({ runtime });
  const [reader, busy] = [1, 2].map(() => createThrottle({ name: "g", max: 100, store, runtime, shares: "demand" }));
  if (!reader || !busy) throw new Error("two");
  await Promise.all([reader.start(), busy.start()]);
  async function* fiveASecond() {
    for (;;) {
      yield "item";
      await new Promise<void>((resolve) => void runtime.setTimer(resolve, 200));
    }
  }
  let read = 0;
  void (async () => {
    for await (const items of reader.batches(fiveASecond())) read += items.length;
  })();
  const halfAMinute = async (): Promise<number> => {
    let granted = 0;
    for (let passed = 0; passed < 30_000; passed += 50) {
      await runtime.advance(50);
      granted += busy.tryAcquireUpTo(20);
    }
    return granted;
  };
  await halfAMinute();
  const readBefore = read;
  // 3,000 in all, of which the reader needs 150.
  expect(await halfAMinute()).toBeGreaterThan(2_500);
  expect(read - readBefore).toBeGreaterThan(130);
});
