import type { BucketLimit } from "@dt/core";
import type { Check, LimitedBy } from "./check.ts";
import type { Lease } from "./leases.ts";

/** How a key stands, as far as this process knows. */
export type Standing = Pick<Check, "limit" | "remaining" | "resetMs">;

/** A call has its units, and its slot where the limit has `concurrent`. */
export interface Taken extends Standing {
  readonly allowed: true;
  readonly lease: Lease | undefined;
  /** Whether the call may still go on with them, a while after they were taken. */
  isFresh(): boolean;
  /** The call goes on. */
  confirm(): void;
  /** It does not: units and slot go back. */
  refund(): void;
}

/** A call may not go on now. */
export interface Refused extends Standing {
  readonly allowed: false;
  readonly limitedBy: LimitedBy;
  readonly retryAfterMs: number;
}

export type Outcome = Taken | Refused;

/** The standing of a key of which nothing is known. */
export function fresh(limit: BucketLimit): Standing {
  return { limit, remaining: Math.floor(limit.burst), resetMs: 0 };
}
