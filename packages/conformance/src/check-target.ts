import type { StoreCapabilities } from "@dt/core";
import { checkKeys, invalidOption } from "@dt/core/ledger";
import type { StoreDamage, StoreFaults, StoreTarget } from "./target.ts";

/** What who runs the suite may call before it and after it; the suite itself does not. */
interface Served {
  start(): unknown;
  stop(): unknown;
}

const TARGET = keysOf<StoreTarget & Served>({
  name: true,
  capabilities: true,
  createStore: true,
  destroyStore: true,
  permits: true,
  budgets: true,
  buckets: true,
  limits: true,
  sharesData: true,
  createSkewedStore: true,
  faults: true,
  damage: true,
  holdUp: true,
  roundTrips: true,
  timeScale: true,
  maxMembers: true,
  runtime: true,
  start: true,
  stop: true,
});
const CAPABILITIES = keysOf<StoreCapabilities>({
  name: true,
  clock: true,
  ledger: true,
  losesData: true,
  hints: true,
  dataAge: true,
  demand: true,
  slots: true,
  demandMembers: true,
});
const FAULTS = keysOf<StoreFaults>({
  kill: true,
  restart: true,
  pause: true,
  resume: true,
  partition: true,
  heal: true,
  shiftClock: true,
});
const DAMAGE = keysOf<StoreDamage>({
  spoilMember: true,
  spoilGroup: true,
  deleteGroup: true,
  spoilSums: true,
  makeNewer: true,
  spoilPermits: true,
  spoilBudget: true,
  spoilBucket: true,
  spoilLimit: true,
});

/**
 * A misspelt property must not pass for an absent one: the cases that need it would be skipped.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkTarget(target: StoreTarget): void {
  checkKeys("the target", target, TARGET);
  checkKeys("capabilities", target.capabilities, CAPABILITIES, "capabilities.");
  checkFunctions("faults", target.faults, FAULTS);
  checkFunctions("damage", target.damage, DAMAGE);
}

function checkFunctions(what: string, functions: object | undefined, known: ReadonlySet<string>): void {
  if (functions === undefined) return;
  checkKeys(what, functions, known, `${what}.`);
  for (const [name, value] of Object.entries(functions))
    if (value !== undefined && typeof value !== "function")
      throw invalidOption(`${what}.${name}`, value, "give a function, or leave it out");
}

/** All of them: a compiler misses the one that was forgotten here. */
function keysOf<T>(keys: Readonly<Record<keyof T, true>>): ReadonlySet<string> {
  return new Set(Object.keys(keys));
}
