import { expect, it } from "vitest";
import { createThrottle, MemoryStore, type View } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A store of which some answers never come, although what was asked has happened. */
function deafStore(runtime: VirtualRuntime, deaf: { register: boolean }): MemoryStore {
  const store = new MemoryStore({ runtime });
  const register = store.register.bind(store);
  store.register = async (...args): Promise<View> => {
    const view = await register(...args);
    return deaf.register ? new Promise<never>(() => undefined) : view;
  };
  return store;
}

it("a first registration whose answer was lost is taken back by stop, so that no ghost holds a share", async () => {
  const runtime = new VirtualRuntime();
  const store = deafStore(runtime, { register: true });
  const throttle = createThrottle({ group: "g", max: 10, store, runtime });
  const started = throttle.start().catch(() => undefined);
  await runtime.advance(500);
  expect((await store.inspect("g")).poolSize).toBe(1);
  const stopped = throttle.stop();
  await runtime.advance(30_000);
  await Promise.all([started, stopped]);
  expect((await store.inspect("g")).members).toEqual([]);
});
