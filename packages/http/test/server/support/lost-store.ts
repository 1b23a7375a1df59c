import { DtError, type KeyedLedger, MemoryStore } from "@dt/core";

/** A store that can be taken away. */
export function losable(): { readonly store: KeyedLedger; isLost: boolean; asked: number } {
  const inner = new MemoryStore();
  const state = {
    isLost: false,
    asked: 0,
    store: {
      take: async (requests, signal) => {
        state.asked += 1;
        if (state.isLost) throw new DtError("DT_STORE_UNAVAILABLE", "the store is away", { effect: "definite" });
        return inner.take(requests, signal);
      },
    } satisfies KeyedLedger as KeyedLedger,
  };
  return state;
}
