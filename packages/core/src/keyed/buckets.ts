import type { BucketAnswer, BucketHold, BucketLimit, BucketRequest } from "../contract/keyed-ledger.ts";
import { TERMS_HOLD_MS, termsMismatch } from "../permits/permits.ts";
import type { BucketRow, BucketTable, HoldRow } from "./bucket-table.ts";

/*
 * The keyed ledger's arithmetic as pure functions over a table; rule numbers are those of `keyed-ledger.ts`. Each
 * function must run atomically for its bucket; `clockMs` is the store's own clock.
 *
 * With F the time at which the bucket is full, E = windowMs / max, b = burst, h = units in hand of processes:
 *   after time has gone on            F' = max(F, now + h E): what is in hand takes up room
 *   units that may be spent now       b - (F' - now) / E
 *   unit number n may be spent at     F' + (n - b) E, and F'' = F' + n E after n units
 * At most b units are in hand. So no more than b are together in the bucket and in all hands: they come back at the
 * rate, and never more than b can be spent at once.
 */

/** A unit that is due so soon is due now: sums of times are rounded. */
const NOW_MS = 1 / 16;

/**
 * Serves one request: slots, what the process holds, hits, and what it takes (K3 to K9).
 * @throws DtError `DT_PACE_MISMATCH`; nothing has been put then
 */
export function takeUnits(table: BucketTable, request: BucketRequest, clockMs: number): BucketAnswer {
  const row = table.row() ?? newBucket(clockMs);
  const usedMs = row.lastMs;
  advanceBucket(row, clockMs);
  if (request.limit) agree(row, request.limit, request.formerLimit, row.lastMs - usedMs);
  const lost = keepSlots(row, request);
  if (request.hits) countHits(row, request.hits.windowMs, request.hits.by);
  const hold = row.holds.find(({ id }) => id === request.hold?.id);
  const isRepeat = hold !== undefined && request.hold !== undefined && request.hold.seq <= hold.seq;
  if (hold && request.hold && !isRepeat) report(row, hold, request.hold);
  const taken = isRepeat ? repeated(hold, request.hold?.seq) : take(row, request, hold);
  table.putRow(row);
  const inHand = row.holds.find(({ id }) => id === request.hold?.id)?.units ?? 0;
  return { ...taken, ...standingOf(row), inHand, lost };
}

/** The row of a bucket of which nothing is known. */
export function newBucket(clockMs: number): BucketRow {
  return {
    ...{ lastMs: clockMs, offsetMs: 0, max: 0, windowMs: 0, burst: 0, concurrent: 0, former: undefined },
    ...{ fullMs: 0, hits: 0, hitsUntilMs: 0, holds: [], slots: [] },
  };
}

/**
 * Lets a bucket's time go on to the store's clock; it never goes back (K2). Units in hand whose time is over are spent,
 * and slots are free.
 */
export function advanceBucket(row: BucketRow, clockMs: number): void {
  if (clockMs + row.offsetMs < row.lastMs) row.offsetMs = row.lastMs - clockMs;
  // The sum may be rounded to less.
  row.lastMs = Math.max(row.lastMs, clockMs + row.offsetMs);
  row.slots = row.slots.filter(({ untilMs }) => untilMs > row.lastMs);
  const everyMs = everyOf(row);
  row.holds.sort((a, b) => a.untilMs - b.untilMs);
  while ((row.holds[0]?.untilMs ?? Number.POSITIVE_INFINITY) <= row.lastMs) {
    row.fullMs = Math.max(row.fullMs, (row.holds[0] as HoldRow).untilMs + heldOf(row) * everyMs);
    row.holds.shift();
  }
  row.fullMs = Math.max(row.fullMs, row.lastMs + heldOf(row) * everyMs);
}

/** How a bucket stands now (K13). */
export function standingOf(row: BucketRow): Omit<BucketAnswer, "granted" | "firstMs" | "waitMs" | "inHand" | "lost"> {
  const { lastMs: nowMs, max, windowMs, burst, concurrent } = row;
  const everyMs = everyOf(row);
  const behindMs = Math.max(0, row.fullMs - nowMs);
  const isRunning = row.hitsUntilMs > nowMs;
  return {
    ...(max > 0 && { limit: { max, windowMs, burst, ...(concurrent > 0 && { concurrent }) } }),
    everyMs,
    remaining: max > 0 ? burst - behindMs / everyMs : 0,
    resetMs: behindMs,
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

/** The text of a limit's numbers: two limits are the same when their texts are. */
export function limitText({ max, windowMs, burst, concurrent = 0 }: BucketLimit): string {
  return `${max} in ${windowMs} ms, burst ${burst}, concurrent ${concurrent}`;
}

function everyOf({ max, windowMs }: Pick<BucketRow, "max" | "windowMs">): number {
  return max > 0 ? windowMs / max : 0;
}

/** Records a request's limit with the bucket, unless its users have another one (K9). Units stay spent. */
function agree(row: BucketRow, limit: BucketLimit, former: BucketLimit | undefined, idleMs: number): void {
  const known = row.max > 0 ? limitText(row) : undefined;
  const own = limitText(limit);
  const replaced = former && limitText(former);
  if (own !== known && replaced !== known && own === row.former) return;
  if (known !== undefined && own !== known && replaced !== known && idleMs <= TERMS_HOLD_MS)
    throw termsMismatch(known, own);
  row.former = replaced;
  if (own === known) return;
  const units = known === undefined ? 0 : Math.max(0, row.fullMs - row.lastMs) / everyOf(row);
  const { max, windowMs, burst, concurrent = 0 } = limit;
  Object.assign(row, { max, windowMs, burst, concurrent });
  row.fullMs = row.lastMs + units * everyOf(row);
}

/** Gives back slots, and keeps others (K6): the ids of those that are not known. */
function keepSlots(row: BucketRow, { release = [], renew = [], renewMs = 0 }: BucketRequest): readonly string[] {
  if (release.length > 0) row.slots = row.slots.filter(({ id }) => !release.includes(id));
  return renew.filter((id) => {
    const slot = row.slots.find((known) => known.id === id);
    if (slot) slot.untilMs = Math.max(slot.untilMs, row.lastMs + renewMs);
    return !slot;
  });
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
  row.fullMs -= (left - kept) * everyOf(row);
  hold.untilMs = Math.max(kept > 0 ? hold.untilMs : 0, row.lastMs + forMs);
  Object.assign(hold, { seq, spent: Math.max(spent, hold.spent), units: kept, granted: 0, firstMs: 0, waitMs: 0 });
}

type Taken = Pick<BucketAnswer, "granted" | "firstMs" | "waitMs" | "limitedBy">;

const NOTHING: Taken = { granted: 0, firstMs: 0, waitMs: 0 };

/** What a request that comes twice is answered again (K7); nothing for one that comes after a newer one. */
function repeated({ seq, granted, firstMs, waitMs }: HoldRow, asked: number | undefined): Taken {
  return asked === seq ? { granted, firstMs, waitMs, ...(waitMs > 0 && { limitedBy: "rate" }) } : NOTHING;
}

/** Takes all of a cost and what comes with it, or nothing (K3, K4, K6). */
function take(row: BucketRow, request: BucketRequest, known: HoldRow | undefined): Taken {
  if (!request.take || row.max === 0) return NOTHING;
  const { cost, maxWaitMs, ahead, aheadWithinMs, slot } = request.take;
  const { lastMs: nowMs, fullMs, burst } = row;
  const everyMs = everyOf(row);
  const dueInMs = fullMs + (cost - burst) * everyMs - nowMs;
  const waitMs = dueInMs < NOW_MS ? 0 : dueInMs;
  const slotMs = slot ? untilSlot(row, slot.id) : 0;
  // All that is in hand may be spent together.
  const room = request.hold ? burst - heldOf(row) : burst;
  if (cost > room || waitMs > maxWaitMs || slotMs > 0) {
    const dueMs = cost > room ? Math.max(waitMs, everyMs) : waitMs;
    if (known) known.waitMs = dueMs;
    return { ...NOTHING, waitMs: Math.max(dueMs, slotMs), limitedBy: slotMs > dueMs ? "concurrent" : "rate" };
  }
  const within = Math.floor(burst + (aheadWithinMs + NOW_MS - (fullMs - nowMs)) / everyMs);
  const granted = Math.max(cost, Math.min(cost + ahead, within, Math.floor(room)));
  row.fullMs = fullMs + granted * everyMs;
  const taken = { granted, firstMs: fullMs + (1 - burst) * everyMs, waitMs };
  if (slot && row.concurrent > 0) occupy(row, slot.id, nowMs + waitMs + slot.forMs);
  if (request.hold) holdUnits(row, known, request.hold, taken);
  return { ...taken, ...(waitMs > 0 && { limitedBy: "rate" }) };
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
  const hold = known ?? { id, seq, spent, units: 0, untilMs: 0, ...taken };
  if (!known) row.holds.push(hold);
  Object.assign(hold, taken);
  hold.units += taken.granted;
  // The last unit may be spent for `forMs`, too.
  hold.untilMs = Math.max(hold.untilMs, row.lastMs, row.fullMs - row.burst * everyOf(row)) + forMs;
}
