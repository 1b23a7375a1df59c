import type { CoordinationStore, PermitLedger } from "@dt/core";

/** A store that keeps permits too. */
export type PermitStore = CoordinationStore & PermitLedger;
