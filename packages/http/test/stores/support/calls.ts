import { type KeyedLedger, MemoryStore } from "@dt/core";

/** A store that writes down how many requests travelled in each call. */
export function calls(): { readonly store: KeyedLedger; readonly sizes: number[] } {
  const inner = new MemoryStore();
  const sizes: number[] = [];
  const store: KeyedLedger = {
    take: (requests, signal) => {
      sizes.push(requests.length);
      return inner.take(requests, signal);
    },
    resetBucket: (bucket, signal) => inner.resetBucket(bucket, signal),
  };
  return { store, sizes };
}
