import type { Throttle } from "@dt/core";
import type { WitnessGrants } from "./witness-grants.ts";

/** More than any share. */
export const ALL = 1_000_000;
/** How soon a caller that was refused tries again. */
export const TRY_AGAIN_MS = 20;

/** What a caller works with. */
export interface CallerContext {
  readonly throttle: Throttle;
  readonly grants: WitnessGrants;
  readonly intervalMs: number;
  /** The store's time now, as well as this process knows it. */
  storeNow(): number | undefined;
  /** Resolves while the next report is under way. */
  reporting(): Promise<void>;
  /** True when nothing more is to be asked for. */
  ended(): boolean;
}
