import type { PermitRequest, Reservation } from "../contract/permit-ledger.ts";
import { DtError } from "../errors/dt-error.ts";

/**
 * Refuses an answer that the contract does not allow, before anybody waits by it: a ledger is somebody else's code.
 * @throws DtError `DT_STORE_REPLY`
 */
export function checkReservation(reservation: Reservation, request: PermitRequest): Reservation {
  const fault = faultOf(reservation, request);
  if (fault === undefined) return reservation;
  throw new DtError(
    "DT_STORE_REPLY",
    `the store answered a request for permits with ${fault}; check the adapter with @dt/conformance`,
    { effect: "unknown" },
  );
}

function faultOf(reservation: Reservation, { count }: PermitRequest): string | undefined {
  if (typeof reservation !== "object" || reservation === null) return `${String(reservation)} instead of a Reservation`;
  const { granted, firstMs, stepMs, earliestMs, retryAfterMs, storeTimeMs } = reservation;
  for (const [name, value] of Object.entries({ firstMs, stepMs, earliestMs, retryAfterMs, storeTimeMs }))
    if (typeof value !== "number" || !Number.isFinite(value)) return `${name} ${String(value)}, which is not a number`;
  if (!Number.isSafeInteger(granted) || granted < 0 || granted > count) return `granted ${String(granted)} of ${count}`;
  if (stepMs < 0) return `stepMs ${stepMs}, which goes back`;
  if (retryAfterMs < 0) return `retryAfterMs ${retryAfterMs}, which is past`;
  return undefined;
}
