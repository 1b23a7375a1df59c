import { isDtError } from "@dt/core";
import { type Backend, type Call, type Store, type StoreCall, wrapStore } from "@dt/core/store";

/** True for a call that is carried out although the store's checks refuse what the caller handed in. */
export type Unchecked = (call: StoreCall) => boolean;

const NEVER = new AbortController().signal;

/** The store without some of its checks. */
export function withoutChecks(store: Store, backend: Backend, unchecked: Unchecked): Store {
  return wrapStore(store, async (call, run) => {
    try {
      return await run();
    } catch (error) {
      if (!isDtError(error, "DT_INVALID_OPTION") || !unchecked(call)) throw error;
      const operation = backend[call.method as keyof Backend] as (...given: unknown[]) => unknown;
      const asked: Call = { what: call.method, signal: NEVER, untilMs: Number.POSITIVE_INFINITY, sent: true };
      return operation(...call.given.filter((argument) => !(argument instanceof AbortSignal)), asked);
    }
  });
}

/** Whether something passes a check. */
export function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
