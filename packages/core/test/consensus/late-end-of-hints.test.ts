import { expect, it, vi } from "vitest";
import { createThrottle, MemoryStore, type StoreCapabilities } from "../../src/index.ts";
import { settle, VirtualRuntime } from "../../src/testing/index.ts";

/** A throttle whose store answers a subscription only when it is told to. */
async function subscribing() {
  const runtime = new VirtualRuntime();
  const store = new MemoryStore({ runtime });
  const capabilities: StoreCapabilities = { ...store.capabilities, hints: true };
  const subscribed: ((endHints: () => void) => void)[] = [];
  const onHint = (): Promise<() => void> => new Promise((resolve) => subscribed.push(resolve));
  const hinting = new Proxy(store, {
    get: (target, name) => {
      if (name === "capabilities") return capabilities;
      if (name === "onHint") return onHint;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const throttle = createThrottle({ name: "g", max: 10, store: hinting, runtime, shares: "even", syncInterval: 200 });
  await throttle.start();
  await settle();
  expect(subscribed).toHaveLength(1);
  const endHints = vi.fn();
  return { runtime, store, throttle, endHints, answer: () => subscribed[0]?.(endHints) };
}

it.each([
  ["the throttle was stopped", true, 100],
  ["its deadline had passed", false, 5_000],
])("a subscription that comes when %s is ended at once", async (_, stops, afterMs) => {
  const { runtime, throttle, endHints, answer } = await subscribing();
  const stopped = stops ? throttle.stop() : undefined;
  await runtime.advance(afterMs);
  await stopped;
  answer();
  await settle();
  expect(endHints).toHaveBeenCalledOnce();
  await throttle.stop();
});

it.each(Array.from({ length: 12 }, (_, turns) => turns))(
  "a subscription that has just come when the throttle stops is ended (%i promises later)",
  async (turns) => {
    const { throttle, endHints, answer } = await subscribing();
    answer();
    for (let turn = 0; turn < turns; turn++) await undefined;
    await throttle.stop();
    await settle();
    expect(endHints).toHaveBeenCalledOnce();
  },
);

it("a subscription that comes while stop waits for a registration under way is ended", async () => {
  const { runtime, store, throttle, endHints, answer } = await subscribing();
  store.sync = async () => ({ status: "unknown", storeTimeMs: runtime.now() });
  store.register = () => new Promise(() => undefined);
  await runtime.advance(400);
  const stopped = throttle.stop();
  answer();
  await settle();
  expect(endHints).toHaveBeenCalledOnce();
  await runtime.advance(5_000);
  await stopped;
});
