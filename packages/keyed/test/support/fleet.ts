import { type KeyedLedger, MemoryStore } from "@dt/core";
import { settle, VirtualRuntime } from "@dt/core/testing";
import { createKeyed, type Keyed, type KeyedOptions } from "../../src/index.ts";

/** Keyed limits over one store in virtual time, one for each process. */
export function fleet(options: Partial<KeyedOptions> = {}, processes = 1) {
  const runtime = new VirtualRuntime({ seed: 1 });
  const store = new MemoryStore({ runtime });
  /** A process has a connection of its own, so that requests of several do not travel together. */
  const create = (more: Partial<KeyedOptions> = {}): Keyed =>
    createKeyed({
      ...{ name: "api", limit: { rate: "5/s", burst: 10 }, runtime, store: connected(store) },
      ...{ ...options, ...more },
    });
  const keyed = Array.from({ length: processes }, () => create());
  const pass = async (ms: number): Promise<void> => {
    await runtime.advance(ms);
    await settle();
  };
  return { runtime, store, create, keyed, limits: keyed[0] as Keyed, pass };
}

/** Another object for the same store. */
export function connected(store: MemoryStore): KeyedLedger {
  return {
    take: (requests, signal) => store.take(requests, signal),
    resetBucket: (bucket, signal) => store.resetBucket(bucket, signal),
  };
}

/** What became of a promise so far. */
export function watched<T>(promise: Promise<T>) {
  const seen: { value?: T; error?: unknown; done: boolean } = { done: false };
  promise.then(
    (value) => Object.assign(seen, { value, done: true }),
    (error: unknown) => Object.assign(seen, { error, done: true }),
  );
  return seen;
}
