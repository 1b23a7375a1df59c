import type { BucketLimit, BucketRequest } from "@dt/core";

/** Ten units, of which one comes back in a minute. */
export const TEN: BucketLimit = { max: 1, windowMs: 60_000, burst: 10 };

/** A limit of which nothing is ever refused. */
export const AMPLE: BucketLimit = { max: 1e9, windowMs: 1_000, burst: 1e9 };

/** A request for one unit. */
export function one(key: string, limit: BucketLimit, others: Partial<BucketRequest> = {}): BucketRequest {
  return { name: "api", key, limit, take: { cost: 1, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 }, ...others };
}
