import type { PermitRelease, PermitRequest, Reservation } from "@dt/core";
import { instantOf, releasePermits, reservePermits } from "@dt/core/ledger";
import type { PlainPermitTable } from "./plain-permit-table.ts";
import { EDGE_MS, INSTANT_TOLERANCE_MS, RETRY_ROUNDING_MS } from "./tolerance.ts";

/** What the specification makes of an answer: the state after it, or the answer that it would have given. */
export type Followed<Table extends PlainPermitTable> = { readonly after: Table } | { readonly expected: Reservation };

/**
 * The sequential specification of one key: core's arithmetic, told by the answer when the store served the request. An
 * answer that rounding may decide either way, when a permit is due or the bound is reached to the microsecond, is right
 * both ways.
 */
export function followReserve<Table extends PlainPermitTable>(
  before: Table,
  request: PermitRequest,
  answer: Reservation,
): Followed<Table> {
  let expected: Reservation | undefined;
  for (const edgeMs of [0, EDGE_MS, -EDGE_MS]) {
    const after = before.clone() as Table;
    const right = reservePermits(after, request, answer.storeTimeMs + edgeMs);
    if (sameAnswer(right, answer, request) && aheadFits(after, request, answer)) {
      // The edge was for the comparison alone; time goes on from what the store answered.
      const row = after.row();
      if (row) after.putRow({ ...row, lastMs: Math.max(answer.storeTimeMs, before.row()?.lastMs ?? 0), offsetMs: 0 });
      return { after };
    }
    expected ??= right;
  }
  return { expected: expected as Reservation };
}

/** The state after a release that the store served at `atMs`. */
export function followRelease<Table extends PlainPermitTable>(
  before: Table,
  release: PermitRelease,
  atMs: number,
): Table {
  const after = before.clone() as Table;
  releasePermits(after, release, atMs);
  return after;
}

function sameAnswer(right: Reservation, answer: Reservation, request: PermitRequest): boolean {
  if (right.granted !== answer.granted) return false;
  if (Math.abs(right.storeTimeMs - answer.storeTimeMs) > INSTANT_TOLERANCE_MS) return false;
  if (Math.abs((right.pausedForMs ?? 0) - (answer.pausedForMs ?? 0)) > INSTANT_TOLERANCE_MS) return false;
  if (right.limit?.everyMs !== answer.limit?.everyMs || right.limit?.burst !== answer.limit?.burst) return false;
  // A repeat of what was given back is answered 0 of both.
  if (right.granted === 0 && right.retryAfterMs > 0) {
    const lateMs = answer.retryAfterMs - right.retryAfterMs;
    return lateMs >= -INSTANT_TOLERANCE_MS && lateMs <= RETRY_ROUNDING_MS + INSTANT_TOLERANCE_MS;
  }
  if (answer.retryAfterMs !== 0) return false;
  for (let i = 0; i < Math.min(right.granted, request.count); i++)
    if (Math.abs(instantOf(right, i) - instantOf(answer, i)) > INSTANT_TOLERANCE_MS) return false;
  return true;
}

/** Whether `reservedAhead` is what the rule says for the state after the answer. */
function aheadFits(after: PlainPermitTable, request: PermitRequest, answer: Reservation): boolean {
  const { burst, everyMs } = answer.limit ?? request;
  const distanceMs = (after.row()?.tatMs ?? 0) - burst * everyMs - answer.storeTimeMs;
  const ahead = (ms: number): number => Math.floor(Math.max(0, distanceMs + ms) / everyMs);
  return answer.reservedAhead >= ahead(-2 * EDGE_MS) && answer.reservedAhead <= ahead(2 * EDGE_MS);
}
