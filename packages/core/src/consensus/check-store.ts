import type { CoordinationStore } from "../contract/coordination-store.ts";
import type { LimitLedger } from "../contract/limit-ledger.ts";
import { packageName } from "../errors/scope.ts";
import { invalidOption } from "../internal/check.ts";
import { checkVersion } from "../internal/version.ts";

/**
 * The option `stored`, on a store that keeps limits.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkStored(stored: boolean, store: CoordinationStore & Partial<LimitLedger>): void {
  if (stored && !store.setLimit)
    throw invalidOption(
      "stored",
      stored,
      `the ${store.capabilities.name} store keeps no limits; leave it out, or use a store that has setLimit`,
    );
}

/**
 * The store of a limiter: known by its methods, and made with the same version of core.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkStore(name: string, store: unknown): CoordinationStore {
  checkVersion(name, store);
  const candidate = store as Partial<CoordinationStore> | undefined;
  if (
    typeof candidate !== "object" ||
    candidate === null ||
    typeof candidate.capabilities !== "object" ||
    candidate.capabilities === null ||
    !(["register", "sync", "deregister", "inspect"] as const).every((name) => typeof candidate[name] === "function")
  )
    throw invalidOption(
      name,
      store,
      `give a CoordinationStore: new MemoryStore(), or one of ${packageName("sqlite")}, ${packageName("redis")}, ...`,
    );
  return candidate as CoordinationStore;
}
