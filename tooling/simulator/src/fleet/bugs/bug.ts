import type { CoordinationStore, Runtime, Throttle } from "@dt/core";
import type { deregister, register, sync } from "@dt/core/ledger";
import type { Profile, Shares } from "../plan/plan.ts";

/** The store's operations on the rows of a group. */
export interface Ledger {
  readonly register: typeof register;
  readonly sync: typeof sync;
  readonly deregister: typeof deregister;
}

/**
 * A deliberate fault: one wrapper over a public seam of core, which lies in one way. Core itself runs as it is; what
 * no seam can express has an ordinary test.
 */
export interface Bug {
  readonly name: string;
  readonly what: string;
  /** How a process reaches its store: what it sends, and the answers that it gets. Made for each boot. */
  readonly store?: (store: CoordinationStore, runtime: Runtime) => CoordinationStore;
  /** A process's clock, timers and chance. */
  readonly runtime?: (runtime: Runtime) => Runtime;
  /** What callers get of a process: its throttle. Made for each boot. */
  readonly throttle?: (throttle: Throttle) => Throttle;
  /** The store's operations, and the rows that they work on. */
  readonly ledger?: (ledger: Ledger) => Ledger;
  /** How the limit is divided where it shows. Default evenly. */
  readonly shares?: Shares;
  /** What happens where it shows. Default `atomic`. */
  readonly profile?: Profile;
  /** Where random schedules seldom show it: the seed from which on it is looked for. Default 0. */
  readonly from?: number;
}
