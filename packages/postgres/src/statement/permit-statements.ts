import type { PermitRelease, PermitRequest } from "@dt/core";
import { call, type Delivery } from "./statements.ts";

/** The statements of permits, with parameters in the order that the headers of the `.sql` files give. */
export function reserveStatement(key: string, request: PermitRequest, { schema, waitMs }: Delivery): string {
  const { id, count, cost, everyMs, burst, maxReserved, keepMs, queueMs } = request;
  const terms = [request.terms ?? null, request.formerTerms ?? null];
  return call(schema, "dt_reserve", [
    key,
    id,
    count,
    cost,
    everyMs,
    burst,
    maxReserved,
    keepMs,
    queueMs,
    waitMs,
    ...terms,
  ]);
}

export function releaseStatement(key: string, { id, keep }: PermitRelease, delivery: Delivery): string {
  const { schema, waitMs, channel } = delivery;
  // No reservation has more instants than an integer can count.
  return call(schema, "dt_release", [key, id, Math.min(keep, 2 ** 31 - 1), waitMs, channel]);
}

export function resetStatement(key: string, { schema, waitMs, channel }: Delivery): string {
  return call(schema, "dt_permit_reset", [key, waitMs, channel]);
}
