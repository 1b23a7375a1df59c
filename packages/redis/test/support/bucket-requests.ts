import type { BucketLimit, BucketRequest } from "@dt/core";

/** Ten units, of which one comes back in a minute. */
export const TEN: BucketLimit = { max: 1, windowMs: 60_000, burst: 10 };

/** A request for one unit. */
export function one(key: string, others: Partial<BucketRequest> = {}): BucketRequest {
  return { name: "api", key, limit: TEN, take: { cost: 1, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 }, ...others };
}
