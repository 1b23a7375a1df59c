import { createRequire } from "node:module";
import { PLENTY, type SynchronousCandidate } from "../candidate.ts";

type Incremented = (error: Error | null, state: { readonly current: number; readonly ttl: number }) => void;

/** The part of the in-memory store that a request goes through. */
interface LocalStore {
  incr(key: string, done: Incremented, windowMs: number, max: number): void;
}

export const localStore: SynchronousCandidate = {
  name: "@fastify/rate-limit LocalStore.incr",
  package: "@fastify/rate-limit",
  keepsTime: true,
  configuration: "one key, window 1 s, max 1e9; the store alone, without fastify",
  prepare: async () => {
    const load = createRequire(import.meta.url);
    const Store = load("@fastify/rate-limit/store/LocalStore") as new () => LocalStore;
    const store = new Store();
    let granted = 0;
    const done: Incremented = (_, { current }) => {
      granted = current <= PLENTY ? 1 : 0;
    };
    const operation = (): number => {
      store.incr("key", done, 1_000, PLENTY);
      return granted;
    };
    return { operation };
  },
};
