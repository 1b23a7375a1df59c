import type { PermitRequest } from "../contract/permit-ledger.ts";
import { storedValue } from "../limits/stored-value.ts";
import { LONGEST_MS, LONGEST_RESERVATION_MS } from "./check-permit-request.ts";
import type { PermitCopy, PermitRow, PermitTable } from "./permit-table.ts";
import { TERMS_HOLD_MS } from "./terms-hold.ts";

/** While a key has a stored limit nothing is reserved farther ahead: so soon another limit holds for everyone. */
const AHEAD_MS = 1_000;

/** The times of a request. */
interface Times {
  /** How long the key was not used, and nothing was reserved. */
  readonly idleMs: number;
  /** The store's clock. */
  readonly clockMs: number;
  /** No instant lies before this, on the key's time. */
  readonly fromMs: number;
}

/**
 * Takes in the limit of a request with `stored` (P16). A copy that nobody used for as long as terms bind is gone.
 *
 * With another `everyMs`, what of the timestamp lies beyond the instants that are reserved ahead keeps its units: the
 * part of a burst that was used stays used, and a permit that came a moment ago is followed by the new distance.
 * @throws DtError `DT_STORE_DATA`
 */
export function keepCopy(table: Pick<PermitTable, "limit">, row: PermitRow, asked: PermitRequest, times: Times): void {
  const copy = times.idleMs <= TERMS_HOLD_MS ? row.stored : undefined;
  row.stored = copy;
  if (!asked.stored || !table.limit) return;
  const { everyMs, burst } = asked;
  const stored = storedValue("permits", copy, table.limit(), { everyMs, burst }, times.clockMs) as PermitCopy;
  if (stored === copy) return;
  row.stored = stored;
  // By which distance a key without a copy is reserved nobody knows.
  row.aheadUntilMs = copy ? row.aheadUntilMs : row.tatMs;
  const aheadMs = Math.max(times.fromMs, row.aheadUntilMs ?? 0);
  if (copy && row.tatMs > aheadMs)
    row.tatMs = aheadMs + Math.min(((row.tatMs - aheadMs) * stored.values.everyMs) / copy.values.everyMs, LONGEST_MS);
}

/**
 * The request as the copy makes it: with the numbers in force (L4), within the bounds of P11, and with nothing reserved
 * far ahead.
 */
export function inForce(asked: PermitRequest, copy: PermitCopy | undefined): PermitRequest {
  if (!copy) return asked;
  const { values } = copy;
  const everyMs = asked.stored ? values.everyMs : Math.max(asked.everyMs, values.everyMs);
  const burst = asked.stored ? values.burst : Math.min(asked.burst, values.burst);
  const mostUnits = Math.max(1, LONGEST_RESERVATION_MS / everyMs);
  const cost = Math.min(asked.cost, mostUnits);
  return {
    ...asked,
    everyMs,
    burst: Math.min(burst, Math.max(1, Math.floor(LONGEST_MS / everyMs))),
    cost,
    count: Math.min(asked.count, Math.max(1, Math.floor(mostUnits / cost))),
    maxReserved: Math.min(asked.maxReserved, Math.floor(AHEAD_MS / everyMs)),
  };
}
