import type { BucketLimit } from "../contract/bucket.ts";
import type { BucketRequest } from "../contract/keyed-ledger.ts";
import type { LimitRecordHead } from "../limits/limit-row.ts";
import { limitStateOf } from "../limits/limit-state.ts";
import { storedValue } from "../limits/stored-value.ts";
import { termsMismatch } from "../permits/permits.ts";
import { TERMS_HOLD_MS } from "../permits/terms-hold.ts";
import type { BucketRow, LimitNumbers, StoredLimitRow } from "./bucket-table.ts";

/**
 * Puts the limit of a request in force (K9). The units that were taken stay taken.
 * @param row the bucket, at the time of the request
 * @param request with its limit
 * @param usedMs the bucket's time at the request before
 * @param head the limit record, for a request with `stored`
 * @param clockMs the time on the store's clock
 * @throws DtError `DT_PACE_MISMATCH`, `DT_STORE_DATA`
 */
export function putInForce(
  row: BucketRow,
  { limit, formerLimit, stored }: BucketRequest,
  usedMs: number,
  head: LimitRecordHead | undefined,
  clockMs: number,
): void {
  if (!limit) return;
  const own = numbersOf(limit);
  if (stored) {
    row.stored = copyFor(row, own, usedMs, head, clockMs);
    Object.assign(row, numbersOf(row.stored));
    return;
  }
  if (!agrees(row, own, formerLimit && numbersOf(formerLimit), usedMs)) return;
  Object.assign(row, row.stored ? stricterOf(own, row.stored) : own);
}

/** The text of a limit's numbers, for messages. */
export function limitText({ max, windowMs, burst, concurrent = 0 }: BucketLimit): string {
  return `${max} in ${windowMs} ms, burst ${burst}, concurrent ${concurrent}`;
}

function numbersOf({ max, windowMs, burst, concurrent = 0 }: BucketLimit): LimitNumbers {
  return { max, windowMs, burst, concurrent };
}

function isSame(a: LimitNumbers | undefined, b: LimitNumbers | undefined): boolean {
  return a?.max === b?.max && a?.windowMs === b?.windowMs && a?.burst === b?.burst && a?.concurrent === b?.concurrent;
}

/**
 * The copy of the record after a request with `stored` (L4). While nothing is set for the key, each request's own limit
 * counts: it may be one that is stored for all keys of the name, of which the bucket does not know.
 */
function copyFor(
  row: BucketRow,
  own: LimitNumbers,
  usedMs: number,
  head: LimitRecordHead | undefined,
  clockMs: number,
): StoredLimitRow {
  const revision = limitStateOf(head, clockMs);
  if (revision > 0 && row.stored?.revision === revision) return row.stored;
  const { values } = storedValue("keyed", undefined, head, { ...own }, clockMs);
  const { declared, declaredMs } = declaredIn(row, usedMs);
  return { revision, ...(values as Readonly<Record<keyof LimitNumbers, number>>), declared, declaredMs };
}

/** The limit of the requests without `stored`, and when the last of them came. */
function declaredIn(row: BucketRow, usedMs: number): Pick<StoredLimitRow, "declared" | "declaredMs"> {
  return row.stored ?? { declared: row.max > 0 ? numbersOf(row) : undefined, declaredMs: usedMs };
}

/**
 * True where a limit counts from now on; false where another one took its place.
 * @throws DtError `DT_PACE_MISMATCH` where the other requests have another one
 */
function agrees(row: BucketRow, own: LimitNumbers, former: LimitNumbers | undefined, usedMs: number): boolean {
  const { declared, declaredMs } = declaredIn(row, usedMs);
  const isKnown = isSame(own, declared);
  const replaces = former !== undefined && isSame(former, declared);
  if (!isKnown && !replaces && isSame(own, row.former)) return false;
  if (declared && !isKnown && !replaces && row.lastMs - declaredMs <= TERMS_HOLD_MS)
    throw termsMismatch(limitText(declared), limitText(own));
  row.former = former;
  if (row.stored) Object.assign(row.stored, { declared: own, declaredMs: row.lastMs });
  return true;
}

/** For each number the stricter one. */
function stricterOf(a: LimitNumbers, b: LimitNumbers): LimitNumbers {
  const { max, windowMs } = a.windowMs / a.max < b.windowMs / b.max ? b : a;
  const concurrent =
    a.concurrent > 0 && b.concurrent > 0 ? Math.min(a.concurrent, b.concurrent) : a.concurrent + b.concurrent;
  return { max, windowMs, burst: Math.min(a.burst, b.burst), concurrent };
}
