import type { BudgetLedger } from "../contract/budget-ledger.ts";
import type { CoordinationStore } from "../contract/coordination-store.ts";
import type { KeyedLedger } from "../contract/keyed-ledger.ts";
import type { LimitLedger } from "../contract/limit-ledger.ts";
import type { PermitLedger } from "../contract/permit-ledger.ts";
import { copyVersion } from "../internal/version.ts";

/** A store with or without permits, budgets, buckets and limits of its own. */
export type AnyStore = CoordinationStore &
  Partial<PermitLedger> &
  Partial<BudgetLedger> &
  Partial<KeyedLedger> &
  Partial<LimitLedger>;

/** The methods of the contracts. */
export type MethodName = Exclude<keyof AnyStore, "capabilities">;

/** A method that is missing here is an error of types. */
const METHODS: Readonly<Record<MethodName, true>> = {
  setUp: true,
  register: true,
  sync: true,
  deregister: true,
  inspect: true,
  repair: true,
  list: true,
  onHint: true,
  onSlotHint: true,
  reserve: true,
  release: true,
  resetPermits: true,
  inspectPermits: true,
  listPermits: true,
  onPermitHint: true,
  spend: true,
  resetBudget: true,
  inspectBudget: true,
  listBudgets: true,
  take: true,
  resetBucket: true,
  inspectBucket: true,
  listBuckets: true,
  setLimit: true,
  readLimit: true,
  close: true,
};

/** A call on its way to a store. */
export type StoreCall = {
  readonly [Method in MethodName]: {
    readonly method: Method;
    readonly given: Parameters<NonNullable<AnyStore[Method]>>;
  };
}[MethodName];

/** What happens with a call: `run` makes it, and may be called once, often or not at all. */
export type Around = (call: StoreCall, run: () => Promise<unknown>) => Promise<unknown>;

/**
 * The same store with something around every call: a record of it, a fault, a delay. It has the methods that the store
 * has.
 * @param store the store
 * @param around runs around every call
 * @example
 * const slow = wrapStore(store, async (call, run) => {
 *   await delay(50);
 *   return run();
 * });
 */
export function wrapStore<Wrapped extends Partial<AnyStore>>(store: Wrapped, around: Around): Wrapped {
  const wrapper = {
    get capabilities() {
      return store.capabilities;
    },
  };
  copyVersion(store, wrapper);
  for (const method of Object.keys(METHODS) as MethodName[]) {
    const inner = store[method] as ((...given: unknown[]) => Promise<unknown>) | undefined;
    if (typeof inner !== "function") continue;
    const value = (...given: unknown[]): Promise<unknown> =>
      around({ method, given } as StoreCall, () => inner.apply(store, given));
    Object.assign(wrapper, { [method]: value });
  }
  return wrapper as unknown as Wrapped;
}
