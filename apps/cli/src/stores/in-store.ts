import {
  type BudgetLedger,
  type CoordinationStore,
  isDtError,
  type KeyedLedger,
  type LimitLedger,
  type PermitLedger,
} from "@dt/core";
import { Failure, UsageError } from "../exit-code.ts";
import { openStore } from "./open-store.ts";
import { type StoreAddress, showStoreAddress } from "./store-address.ts";

/** A store of which nobody knows yet what it can do besides. */
export type AnyStore = CoordinationStore &
  Partial<PermitLedger> &
  Partial<BudgetLedger> &
  Partial<KeyedLedger> &
  Partial<LimitLedger>;

/**
 * Works with the store at an address as it is, and closes it: makes no file, no schema and no table.
 * @param otherwise what is said before the store's error: `"nothing was repaired"`
 * @throws Failure with the store's error; UsageError for what the store refuses before it is asked
 */
export async function inStore<T>(
  address: StoreAddress,
  otherwise: string,
  work: (store: AnyStore) => Promise<T>,
): Promise<T> {
  try {
    await using opened = await open(address);
    return await work(opened.store);
  } catch (error) {
    if (!isDtError(error)) throw error;
    if (error.code === "DT_INVALID_OPTION") throw new UsageError(`${otherwise}: ${error.message}`, { cause: error });
    throw new Failure(`${showStoreAddress(address)}: ${otherwise}: ${error.message}`, { cause: error });
  }
}

/** The same for a command that only looks. @throws Failure */
export function lookInStore<T>(address: StoreAddress, work: (store: AnyStore) => Promise<T>): Promise<T> {
  return inStore(address, "it could not be read", work);
}

async function open(address: StoreAddress): Promise<{ readonly store: AnyStore } & AsyncDisposable> {
  const store = await openStore(address, false);
  return { store, [Symbol.asyncDispose]: () => store.close() };
}
