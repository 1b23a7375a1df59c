import { type Grant, isDtError, type Throttle } from "@dt/core";
import type { WitnessGrants } from "./witness-grants.ts";

/** More than any share. */
export const ALL = 1_000_000;
/** How soon a caller that was refused tries again. */
export const TRY_AGAIN_MS = 20;

/** True for the error of a throttle that grants nothing any more. */
export function isFinal(error: unknown): boolean {
  return isDtError(error, "DT_STOPPED") || isDtError(error, "DT_MEMBER_FENCED");
}

/** Takes everything there is now. Callers do not know that a throttle is being stopped: then they get nothing. */
export function takeAll(throttle: Throttle): void {
  try {
    throttle.tryAcquireUpTo(ALL);
  } catch (error) {
    if (!isFinal(error)) throw error;
  }
}

/** A grant of everything there is now, up to `most` tokens; undefined where nothing is. */
export function grantNow(throttle: Throttle, most: number = ALL): Grant | undefined {
  const tokens = Math.min(most, throttle.status().available);
  return tokens > 0 ? throttle.tryAcquireGrant(tokens) : undefined;
}

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
