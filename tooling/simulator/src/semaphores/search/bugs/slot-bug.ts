import type { CoordinationStore, Runtime, Semaphore, SemaphoreOptions } from "@dt/core";
import type { Ledger } from "../../../fleet/bugs/bug.ts";
import type { Profile, StoreKind } from "../plan.ts";
import type { SlotProcess } from "../slot-process.ts";

/** A deliberate fault: one wrapper over a public seam of core, which lies in one way. Core itself runs as it is. */
export interface SlotBug {
  readonly name: string;
  readonly what: string;
  /** How a process reaches its store: what it sends, the answers and the hints that it gets. Made for each boot. */
  readonly store?: (store: CoordinationStore, process: SlotProcess) => CoordinationStore;
  /** A process's clock, timers and chance. */
  readonly runtime?: (runtime: Runtime) => Runtime;
  /** What callers get of a process: its semaphore. Made for each boot. */
  readonly semaphore?: (semaphore: Semaphore, store: CoordinationStore) => Semaphore;
  /** The store's operations, and the rows that they work on. */
  readonly ledger?: (ledger: Ledger) => Ledger;
  /** What processes are configured with instead. */
  readonly times?: Partial<SemaphoreOptions>;
  /** Where it shows. Default `ignored`, on `V1`. */
  readonly profile?: Profile;
  readonly on?: StoreKind;
  /** Where random schedules seldom show it: the seed from which on it is looked for. Default 0. */
  readonly from?: number;
}
