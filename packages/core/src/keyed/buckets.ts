import type { BucketAnswer, BucketHold, BucketRequest } from "../contract/keyed-ledger.ts";
import type { LimitRecordHead } from "../limits/limit-row.ts";
import type { BucketRow, BucketTable, HoldRow } from "./bucket-table.ts";
import { putInForce } from "./limit-in-force.ts";

/*
 * The keyed ledger's arithmetic as pure functions over a table; rule numbers are those of `keyed-ledger.ts`. Each
 * function must run atomically for its bucket; `clockMs` is the store's own clock.
 *
 * With u units that were taken and have not come back, E = windowMs / max, b = burst, h = units in hand of processes:
 *   after d has passed                u' = max(h, u - d / E): what is in hand takes up room
 *   units that may be spent now       b - u
 *   unit number n may be spent in     (u + n - b) E, and u' = u + n after n units
 * At most b units are in hand. So no more than b are together in the bucket and in all hands: they come back at the
 * rate, and never more than b can be spent at once.
 */

/** A process that waits keeps its place for so long after it should have asked again. */
const PLACE_MS = 250;

/** A unit that is due so soon is due now: sums of times are rounded. */
const NOW_MS = 1 / 16;

/**
 * Serves one request: slots, what the process holds, hits, and what it takes (K3 to K9).
 * @param table the bucket
 * @param request what is asked for
 * @param clockMs the time on the store's clock
 * @param head the limit record; looked at for a request with `stored`
 * @throws DtError `DT_PACE_MISMATCH`, `DT_STORE_DATA`; nothing has been put then
 */
export function takeUnits(
  table: BucketTable,
  request: BucketRequest,
  clockMs: number,
  head?: LimitRecordHead,
): BucketAnswer {
  const row = table.row() ?? newBucket(clockMs);
  const usedMs = row.lastMs;
  advanceBucket(row, clockMs);
  const known = row.holds.find(({ id }) => id === request.hold?.id);
  const isRepeat = known !== undefined && request.hold !== undefined && request.hold.seq <= known.seq;
  const taken = isRepeat ? repeated(known, request.hold?.seq) : serve(row, request, known, usedMs, clockMs, head);
  table.putRow(row);
  const inHand = row.holds.find(({ id }) => id === request.hold?.id)?.units ?? 0;
  const lost = (request.renew ?? []).filter((id) => row.slots.every((slot) => slot.id !== id));
  return { ...taken, ...standingOf(row), inHand, lost };
}

/** The row of a bucket of which nothing is known. */
export function newBucket(clockMs: number): BucketRow {
  return {
    ...{ lastMs: clockMs, offsetMs: 0, max: 0, windowMs: 0, burst: 0, concurrent: 0, used: 0, hits: 0, hitsUntilMs: 0 },
    ...{ holds: [], slots: [] },
  };
}

/**
 * Lets a bucket's time go on to the store's clock; it never goes back (K2). Units in hand whose time is over are spent,
 * and slots are free.
 */
export function advanceBucket(row: BucketRow, clockMs: number): void {
  let fromMs = row.lastMs;
  if (clockMs + row.offsetMs < row.lastMs) row.offsetMs = row.lastMs - clockMs;
  // The sum may be rounded to less.
  row.lastMs = Math.max(row.lastMs, clockMs + row.offsetMs);
  row.slots = row.slots.filter(({ untilMs }) => untilMs > row.lastMs);
  row.holds.sort((a, b) => a.untilMs - b.untilMs);
  for (let first = row.holds[0]; first && first.untilMs <= row.lastMs; first = row.holds[0]) {
    comeBack(row, first.untilMs - fromMs);
    fromMs = Math.max(fromMs, first.untilMs);
    row.holds.shift();
  }
  comeBack(row, row.lastMs - fromMs);
}

/** What of a row says how its bucket stands. */
type Standing = Omit<BucketRow, "offsetMs" | "former" | "holds" | "slots" | "stored"> & {
  readonly slots: { readonly length: number };
};

/** How a bucket stands now (K13). */
export function standingOf(row: Standing): Omit<BucketAnswer, "granted" | "firstMs" | "waitMs" | "inHand" | "lost"> {
  const { lastMs: nowMs, max, windowMs, burst, concurrent, used } = row;
  const everyMs = everyOf(row);
  const isRunning = row.hitsUntilMs > nowMs;
  return {
    ...(max > 0 && { limit: { max, windowMs, burst, ...(concurrent > 0 && { concurrent }) } }),
    everyMs,
    remaining: max > 0 ? burst - used : 0,
    resetMs: used * everyMs,
    inFlight: row.slots.length,
    hits: isRunning ? row.hits : 0,
    hitsResetMs: isRunning ? row.hitsUntilMs - nowMs : 0,
    storeTimeMs: nowMs,
  };
}

/** Units that processes have in hand. */
export function heldOf(row: BucketRow): number {
  return row.holds.reduce((sum, { units }) => sum + units, 0);
}

/** The time in which a unit comes back; 0 without a limit. */
export function everyOf({ max, windowMs }: Pick<BucketRow, "max" | "windowMs">): number {
  return max > 0 ? windowMs / max : 0;
}

/** Lets units come back, as many as have room beside what is in hand. */
function comeBack(row: BucketRow, ms: number): void {
  if (row.max > 0 && ms > 0) row.used = Math.max(heldOf(row), row.used - (ms * row.max) / row.windowMs);
}

/** Does what is asked, unless that was done before. */
function serve(
  row: BucketRow,
  request: BucketRequest,
  known: HoldRow | undefined,
  usedMs: number,
  clockMs: number,
  head: LimitRecordHead | undefined,
): Taken {
  putInForce(row, request, usedMs, head, clockMs);
  keepSlots(row, request);
  if (request.hits) countHits(row, request.hits.windowMs, request.hits.by);
  const sinceMs = known && waitsSinceMs(known);
  if (known && request.hold) report(row, known, request.hold);
  return take(row, request, known, sinceMs);
}

/** Gives back slots, and keeps others (K6). */
function keepSlots(row: BucketRow, { release = [], renew = [], renewMs = 0 }: BucketRequest): void {
  if (release.length > 0) row.slots = row.slots.filter(({ id }) => !release.includes(id));
  for (const slot of row.slots)
    if (renew.includes(slot.id)) slot.untilMs = Math.max(slot.untilMs, row.lastMs + renewMs);
}

/** Counts hits in a window that begins with the first (K8). */
function countHits(row: BucketRow, windowMs: number, by: number): void {
  if (row.hitsUntilMs <= row.lastMs) {
    if (by <= 0) return;
    row.hits = 0;
    row.hitsUntilMs = row.lastMs + windowMs;
  }
  row.hits = Math.max(0, row.hits + by);
}

/** Takes in what a process holds (K5): what it neither spent nor keeps goes back to the bucket. */
function report(row: BucketRow, hold: HoldRow, { seq, spent, keep, forMs }: BucketHold): void {
  const left = Math.max(0, hold.units - Math.max(0, spent - hold.spent));
  const kept = Math.min(left, keep);
  row.used = Math.max(0, row.used - (left - kept));
  hold.untilMs = Math.max(kept > 0 ? hold.untilMs : 0, row.lastMs + forMs);
  Object.assign(hold, { seq, spent: Math.max(spent, hold.spent), units: kept });
  Object.assign(hold, { granted: 0, firstMs: 0, waitMs: 0, busy: false });
}

type Taken = Pick<BucketAnswer, "granted" | "firstMs" | "waitMs" | "limitedBy">;

const NOTHING: Taken = { granted: 0, firstMs: 0, waitMs: 0 };

/** What a request that comes twice is answered again (K7); nothing for one that comes after a newer one. */
function repeated({ seq, granted, firstMs, waitMs, busy }: HoldRow, asked: number | undefined): Taken {
  if (asked !== seq) return NOTHING;
  return {
    granted,
    firstMs: granted > 0 ? firstMs : 0,
    waitMs,
    ...(waitMs > 0 && { limitedBy: busy ? "concurrent" : "rate" }),
  };
}

/** Takes all of a cost and what comes with it, or nothing (K3, K4, K6). */
function take(row: BucketRow, request: BucketRequest, known: HoldRow | undefined, sinceMs: number | undefined): Taken {
  if (!request.take || row.max === 0) return NOTHING;
  const { cost, maxWaitMs, ahead, aheadWithinMs, slot } = request.take;
  const { lastMs: nowMs, used, burst } = row;
  const everyMs = everyOf(row);
  const dueInMs = (used + cost - burst) * everyMs;
  const waitMs = dueInMs < NOW_MS ? 0 : dueInMs;
  const slotMs = slot ? untilSlot(row, slot.id) : 0;
  // All that is in hand may be spent together.
  const room = request.hold ? burst - heldOf(row) : burst;
  const hasTurn = row.holds.every((hold) => hold === known || isBehind(waitsSinceMs(hold), sinceMs));
  if (cost > room || waitMs > maxWaitMs || slotMs > 0 || !hasTurn) {
    const dueMs = cost > room || !hasTurn ? Math.max(waitMs, everyMs) : waitMs;
    const busy = slotMs > dueMs;
    const refusal = { granted: 0, firstMs: 0, waitMs: Math.max(dueMs, slotMs) };
    if (known) Object.assign(known, refusal, { busy });
    if (request.hold && maxWaitMs > 0) keepPlace(row, known, request.hold, refusal.waitMs, sinceMs);
    return { ...refusal, limitedBy: busy ? "concurrent" : "rate" };
  }
  const within = Math.floor(burst - used + (aheadWithinMs + NOW_MS) / everyMs);
  const granted = Math.max(cost, Math.min(cost + ahead, within, Math.floor(room)));
  const taken = { granted, firstMs: nowMs + (used + 1 - burst) * everyMs, waitMs };
  row.used = used + granted;
  if (slot && row.concurrent > 0) occupy(row, slot.id, nowMs + waitMs + slot.forMs);
  if (request.hold) holdUnits(row, known, request.hold, taken);
  return { ...taken, ...(waitMs > 0 && { limitedBy: "rate" }) };
}

/** Since when a process waits with nothing in hand; undefined for one that does not. */
function waitsSinceMs({ units, granted, firstMs }: HoldRow): number | undefined {
  return units === 0 && granted === 0 && firstMs > 0 ? firstMs : undefined;
}

/** True where a process that waits since then, or does not wait, lets one pass that waits since `ownMs`. */
function isBehind(sinceMs: number | undefined, ownMs: number | undefined): boolean {
  return sinceMs === undefined || (ownMs !== undefined && ownMs <= sinceMs);
}

/** Remembers since when a process waits, so that others let it pass, until it should have asked again (K4). */
function keepPlace(
  row: BucketRow,
  known: HoldRow | undefined,
  { id, seq, spent }: BucketHold,
  waitMs: number,
  sinceMs: number = Math.max(1, row.lastMs),
): void {
  if (known && known.units > 0) return;
  const hold = known ?? { id, seq, spent, units: 0, untilMs: 0, granted: 0, firstMs: 0, waitMs, busy: false };
  if (!known) row.holds.push(hold);
  hold.firstMs = sinceMs;
  hold.untilMs = row.lastMs + waitMs + PLACE_MS;
}

/** How long until a slot may be free, in milliseconds; 0 where one is. */
function untilSlot({ slots, concurrent, lastMs }: BucketRow, id: string): number {
  if (concurrent === 0 || slots.length < concurrent || slots.some((slot) => slot.id === id)) return 0;
  return Math.min(...slots.map(({ untilMs }) => untilMs)) - lastMs;
}

function occupy(row: BucketRow, id: string, untilMs: number): void {
  const slot = row.slots.find((known) => known.id === id);
  if (slot) slot.untilMs = Math.max(slot.untilMs, untilMs);
  else row.slots.push({ id, untilMs });
}

/** Puts what was taken into the process's hand, until it is spent or its time is over (K5). */
function holdUnits(
  row: BucketRow,
  known: HoldRow | undefined,
  { id, seq, spent, forMs }: BucketHold,
  taken: Pick<HoldRow, "granted" | "firstMs" | "waitMs">,
): void {
  const hold = known ?? { id, seq, spent, units: 0, untilMs: 0, busy: false, ...taken };
  if (!known) row.holds.push(hold);
  Object.assign(hold, taken);
  hold.units += taken.granted;
  // The last unit may be spent for `forMs`, too.
  const lastInMs = Math.max(0, (row.used - row.burst) * everyOf(row));
  hold.untilMs = Math.max(hold.untilMs, row.lastMs + lastInMs + forMs);
}
