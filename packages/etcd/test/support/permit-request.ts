import type { PermitRequest } from "@dt/core";

let ids = 0;

/** A request for one permit every second, reserved ahead; no two have the same id. */
export function permitRequest(changes: Partial<PermitRequest> = {}): PermitRequest {
  return {
    ...{ id: `r${ids++}`, count: 1, cost: 1, everyMs: 1_000, burst: 1, maxReserved: 100, keepMs: 10_000, queueMs: 0 },
    ...changes,
  };
}
