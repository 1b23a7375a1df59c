import { expect, it, vi } from "vitest";
import { createThrottle, MemoryStore, type StoreCapabilities } from "../../src/index.ts";
import { settle, VirtualRuntime } from "../../src/testing/index.ts";

it.each([
  ["the throttle was stopped", true, 100],
  ["its deadline had passed", false, 5_000],
])("a subscription that comes when %s is ended at once", async (_, stops, afterMs) => {
  const runtime = new VirtualRuntime();
  const store = new MemoryStore({ runtime });
  const capabilities: StoreCapabilities = { ...store.capabilities, push: true };
  const subscribed: ((unwatch: () => void) => void)[] = [];
  const watch = (): Promise<() => void> => new Promise((resolve) => subscribed.push(resolve));
  const pushing = new Proxy(store, {
    get: (target, name) => {
      if (name === "capabilities") return capabilities;
      if (name === "watch") return watch;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const throttle = createThrottle({ group: "g", max: 10, store: pushing, runtime });
  await throttle.start();
  await settle();
  expect(subscribed).toHaveLength(1);
  const stopped = stops ? throttle.stop() : undefined;
  await runtime.advance(afterMs);
  await stopped;
  const unwatch = vi.fn();
  subscribed[0]?.(unwatch);
  await settle();
  expect(unwatch).toHaveBeenCalledOnce();
  await throttle.stop();
});
