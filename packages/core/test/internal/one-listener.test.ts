import { createPacer, createThrottle, MemoryStore } from "@dt/core";
import { withDeadline } from "@dt/core/ledger";
import { settle, VirtualRuntime } from "@dt/core/testing";
import { expect, it } from "vitest";

/** Node 20 warns of a leak when a signal has more than ten. */
class CountingSignal extends AbortController {
  most = 0;
  listeners = 0;

  constructor() {
    super();
    const { signal } = this;
    const add = signal.addEventListener.bind(signal) as (...args: unknown[]) => void;
    const remove = signal.removeEventListener.bind(signal) as (...args: unknown[]) => void;
    signal.addEventListener = (...args: unknown[]) => {
      this.listeners += 1;
      this.most = Math.max(this.most, this.listeners);
      add(...args);
    };
    signal.removeEventListener = (...args: unknown[]) => {
      this.listeners -= 1;
      remove(...args);
    };
  }
}

const runtime = new VirtualRuntime();

it.each<[string, (signal: AbortSignal) => Promise<unknown>[]]>([
  [
    "calls of a store",
    (signal) =>
      Array.from({ length: 50 }, () =>
        withDeadline(() => new Promise(() => {}), { runtime, timeoutMs: 1_000, what: "call", signal }),
      ),
  ],
  [
    "callers of a throttle",
    (signal) => {
      const throttle = createThrottle({ name: "g", max: 1, store: new MemoryStore({ runtime }), runtime });
      void throttle.start();
      return Array.from({ length: 50 }, () => throttle.acquireUpTo(1, { signal }));
    },
  ],
  [
    "callers of a pacer",
    (signal) => {
      const pacer = createPacer({ name: "k", every: "1h", store: new MemoryStore({ runtime }), runtime });
      return Array.from({ length: 50 }, () => pacer.acquire(1, { signal }));
    },
  ],
])("fifty %s that wait with one signal are one listener to it, and all hear of it", async (_, wait) => {
  const controller = new CountingSignal();
  const waiting = wait(controller.signal);
  const settled = Promise.allSettled(waiting);
  await settle();
  expect(controller.most).toBe(1);
  controller.abort(new Error("given up"));
  const failed = (await settled).filter(({ status }) => status === "rejected");
  expect(failed.length).toBeGreaterThanOrEqual(49);
  expect(controller.listeners).toBe(0);
});

it("a signal is let go of with the last one that waits", async () => {
  const controller = new CountingSignal();
  const { signal } = controller;
  await Promise.all(
    [1, 2, 3].map((n) => withDeadline(async () => n, { runtime, timeoutMs: 1_000, what: "call", signal })),
  );
  expect(controller.most).toBe(1);
  expect(controller.listeners).toBe(0);
});
