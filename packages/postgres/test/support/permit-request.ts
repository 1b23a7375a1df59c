import type { PermitRequest } from "@dt/core";

let ids = 0;

/** A request for one permit a second, nothing reserved ahead. */
export function permitRequest(overrides: Partial<PermitRequest> = {}): PermitRequest {
  ids += 1;
  return {
    id: `request-${process.pid}-${ids}`,
    count: 1,
    cost: 1,
    everyMs: 1_000,
    burst: 1,
    maxReserved: 0,
    keepMs: 1_000,
    queueMs: 0,
    ...overrides,
  };
}
