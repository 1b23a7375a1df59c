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

/** What is asked of a throttle; undefined once it grants nothing any more: callers do not know when it is stopped. */
function unlessFinal<Answer>(ask: () => Answer): Answer | undefined {
  try {
    return ask();
  } catch (error) {
    if (isFinal(error)) return undefined;
    throw error;
  }
}

/** Takes what there is now, up to `most` tokens. Wants all of them, whether they are there or not. */
export function takeAll(throttle: Throttle, most: number = ALL): void {
  unlessFinal(() => throttle.tryAcquireUpTo(most));
}

/**
 * A grant of what there is now, up to `most` tokens; undefined where nothing is. Wants all of them, whether they are
 * there or not: where shares follow demand, a caller that asks for no more than there is would get no more.
 */
export function grantNow(throttle: Throttle, most: number = ALL): Grant | undefined {
  const tokens = Math.min(most, throttle.status().available);
  const grant = tokens > 0 ? unlessFinal(() => throttle.tryAcquireGrant(tokens)) : undefined;
  if (tokens < most) takeAll(throttle, most - tokens);
  return grant;
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
