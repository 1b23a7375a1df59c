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
  const throttle = createThrottle({ name: "g", max: 10, store, runtime });
  const started = throttle.start().catch(() => undefined);
  await runtime.advance(500);
  expect((await store.inspect("g")).memberCount).toBe(1);
  const stopped = throttle.stop();
  await runtime.advance(30_000);
  await Promise.all([started, stopped]);
  expect((await store.inspect("g")).members).toEqual([]);
});

it("a registration that is still on its way when the throttle stops is waited for, so that it leaves no ghost", async () => {
  const runtime = new VirtualRuntime();
  const store = new MemoryStore({ runtime });
  const register = store.register.bind(store);
  // Bytes on their way are not called back by a signal.
  store.register = async (group, registration): Promise<View> => {
    await new Promise<void>((resolve) => runtime.setTimer(resolve, 300));
    return register(group, registration);
  };
  const throttle = createThrottle({ name: "g", max: 10, store, runtime });
  const started = throttle.start().catch(() => undefined);
  await runtime.advance(100);
  const stopped = throttle.stop();
  await runtime.advance(1_000);
  await Promise.all([started, stopped]);
  expect((await store.inspect("g")).members).toEqual([]);
  expect(runtime.pendingTimers).toBe(0);
});

it.each(Array.from({ length: 16 }, (_, turns) => turns))(
  "nothing is sent after the farewell when the store forgot the member as it was stopping (%i promises later)",
  async (turns) => {
    const runtime = new VirtualRuntime();
    const store = new MemoryStore({ runtime });
    const said: string[] = [];
    const throttle = createThrottle({ name: "g", max: 10, store, runtime });
    await throttle.start();
    let stopped: Promise<void> | undefined;
    const stopLater = async (): Promise<void> => {
      for (let turn = 0; turn < turns; turn++) await undefined;
      stopped = throttle.stop();
    };
    const deregister = store.deregister.bind(store);
    const register = store.register.bind(store);
    store.sync = async () => {
      void stopLater();
      return { status: "unknown", storeTimeMs: runtime.now() };
    };
    store.register = (...args) => {
      said.push("register");
      return register(...args);
    };
    store.deregister = (...args) => {
      said.push("deregister");
      return deregister(...args);
    };
    await runtime.advance(1_500);
    await stopped;
    await runtime.advance(30_000);
    expect(said.at(-1)).toBe("deregister");
    expect(said.filter((what) => what === "deregister")).toHaveLength(1);
    expect(throttle.status().state).toBe("stopped");
    expect((await store.inspect("g")).members).toEqual([]);
    expect(runtime.pendingTimers).toBe(0);
  },
);
