import type { SpendRequest, SpendReservation } from "@dt/core";
import { spendRequest } from "@dt-tooling/simulator/requests";

/** A limit that is never full. */
export const AMPLE = { name: "calls", max: 1e6, windowMs: 60_000, burst: 1e6 };

/** A request for one call of it. */
export function ample(reserve: Partial<SpendReservation> = {}): ReturnType<typeof spendRequest> {
  return spendRequest({ costs: [1], ...reserve }, { limits: [AMPLE] });
}

/** A request without a reservation. */
export function only(others: Partial<SpendRequest>): SpendRequest {
  const { reserve: _, ...request } = spendRequest({}, others);
  return request;
}
