import type { PermitRelease, PermitRequest, Reservation } from "../contract/permit-ledger.ts";
import { DtError } from "../errors/dt-error.ts";
import type { PermitEntry, PermitRow, PermitTable, ResettablePermitTable } from "./permit-table.ts";
import { inForce, keepCopy } from "./stored-limit.ts";
import { TERMS_HOLD_MS } from "./terms-hold.ts";

/*
 * The permit ledger's arithmetic as pure functions over a table; rule numbers are those of `permit-ledger.ts`. Each
 * function must run atomically for its key; `clockMs` is the store's own clock.
 *
 * With t the theoretical arrival time, E = everyMs, b = burst, c = cost:
 *   the next permit's instant        t + (min(max(c, 1), b) - b) E      (now, if that is past)
 *   after it                         t' = max(t, now) + c E
 *   permits reserved ahead           floor(max(0, t - b E - now) / E), since t - b E is the design's
 *                                    last_permit_timestamp
 */

/**
 * Doubles as large as today's time in milliseconds are so far apart, so a sum of b of them is wrong by half of b times
 * this.
 */
const ROUNDING_MS = 2 ** -12;

/** No more is forgiven, however large the burst: a permit that is due now is not noticeably early. */
const MOST_ROUNDING_MS = 0.1;

/** What is reserved for so long from now on is left by a reset (P12): about as long as callers wait. */
const RESET_KEEPS_MS = 60_000;

/**
 * Reserves up to `count` permits.
 * @throws DtError `DT_PACE_MISMATCH`, and `DT_STORE_DATA` for a damaged limit record; nothing has been put then
 */
export function reservePermits(table: PermitTable, asked: PermitRequest, clockMs: number): Reservation {
  const usedMs = table.row()?.lastMs ?? 0;
  const row = advance(table, clockMs);
  const idleMs = row.lastMs - Math.max(usedMs, row.tatMs);
  const nowMs = row.lastMs;
  table.forgetEntries(nowMs);
  const known = table.entry(asked.id);
  if (!known) {
    matchTerms(row, asked, idleMs);
    keepCopy(table, row, asked, { idleMs, clockMs, fromMs: fromMs(row) });
  }
  const request = inForce(asked, row.stored);
  const stepMs = request.cost * request.everyMs;
  keepPause(row, request);
  if (known) {
    table.putRow(row);
    return answer(known, row, request);
  }
  const ahead = table.aheadInQueue(request.id, nowMs);
  const mayReserve = ahead === 0 && isAhead(request, row.tatMs, nowMs) && request.maxReserved > 0;
  const freed = mayReserve ? table.takeFreed(fromMs(row), stepMs) : undefined;
  if (freed) {
    if (freed.widthMs > stepMs) table.addFreed({ atMs: freed.atMs + stepMs, widthMs: freed.widthMs - stepMs });
    return grant(table, row, request, { granted: 1, firstMs: freed.atMs, tatBeforeMs: undefined });
  }
  // Those in the queue come first: the request is judged as if each of them had taken a permit.
  const judgedMs = ahead === 0 ? row.tatMs : Math.max(row.tatMs, nowMs) + ahead * stepMs;
  const granted = permitted(request, judgedMs, nowMs);
  if (granted === 0) {
    const retryAfterMs = openAt(request, judgedMs) - nowMs;
    if (request.queueMs > 0) table.enqueue(request.id, nowMs + retryAfterMs + request.queueMs);
    table.putRow(row);
    return refusal(row, request, retryAfterMs);
  }
  const tatBeforeMs = Math.max(row.tatMs, nowMs);
  row.tatMs = tatBeforeMs + granted * stepMs;
  return grant(table, row, request, { granted, firstMs: tatBeforeMs + shift(request), tatBeforeMs });
}

/** Gives back all but the first `keep` instants of a reservation; true when at least one instant became free. */
export function releasePermits(table: PermitTable, release: PermitRelease, clockMs: number): boolean {
  // Of a key that was never used there is nothing to give back, and it stays unused (P14).
  if (!table.row()) return false;
  const row = advance(table, clockMs);
  const entry = table.entry(release.id);
  table.leaveQueue(release.id);
  if (!entry || entry.granted <= release.keep) {
    table.putRow(row);
    return false;
  }
  const { tatBeforeMs, stepMs, granted } = entry;
  if (tatBeforeMs !== undefined && tatBeforeMs + granted * stepMs === row.tatMs) {
    row.tatMs = tatBeforeMs + release.keep * stepMs;
  } else {
    for (let i = release.keep; i < granted; i++) {
      const atMs = instantOf(entry, i);
      if (atMs > row.lastMs) table.addFreed({ atMs, widthMs: stepMs });
    }
  }
  table.putEntry({ ...entry, granted: release.keep });
  table.putRow(row);
  return true;
}

/** Resets a key (P12). */
export function resetPermits(table: ResettablePermitTable, clockMs: number): void {
  if (!table.row()) return;
  const { tatMs, lastMs, offsetMs } = advance(table, clockMs);
  table.forgetEntries(lastMs);
  const left = table.forgetAfter(lastMs + RESET_KEEPS_MS);
  // A distance of years is what the reset is for.
  const nextMs = left ? left.atMs + (left.widthMs <= RESET_KEEPS_MS ? left.widthMs : 0) : lastMs;
  table.putRow({ tatMs: Math.min(tatMs, Math.max(lastMs, nextMs)), lastMs, offsetMs });
}

/** The error of a request whose terms differ from those of its key (P10). */
export function termsMismatch(recorded: string, asked: string): DtError {
  return new DtError(
    "DT_PACE_MISMATCH",
    `the key is in use with "${recorded}", and this request asks for "${asked}"; give all users of a key the same. While a change is rolled out, give the new ones replaces: ${JSON.stringify(recorded)}; or reset the key, or wait until it has been idle for ${TERMS_HOLD_MS / 1_000} s`,
  );
}

/** Instant `i` of a reservation, on the store's clock. */
export function instantOf(reservation: Pick<Reservation, "earliestMs" | "firstMs" | "stepMs">, i: number): number {
  return Math.max(reservation.earliestMs, reservation.firstMs + i * reservation.stepMs);
}

function advance(table: PermitTable, clockMs: number): PermitRow {
  const row = table.row() ?? { tatMs: 0, lastMs: clockMs, offsetMs: 0 };
  advanceKey(row, clockMs);
  return row;
}

/** Lets a key's time go on to the store's clock; it never goes back (P2). */
export function advanceKey(row: PermitRow, clockMs: number): void {
  if (clockMs + row.offsetMs < row.lastMs) row.offsetMs = row.lastMs - clockMs;
  // The sum may be rounded to less.
  row.lastMs = Math.max(row.lastMs, clockMs + row.offsetMs);
}

/** Records a request's terms with the key, unless its users have others (P10). */
function matchTerms(row: PermitRow, { terms, formerTerms }: PermitRequest, idleMs: number): void {
  if (terms === undefined || (terms !== row.terms && formerTerms !== row.terms && terms === row.formerTerms)) return;
  const free = row.terms === undefined || idleMs > TERMS_HOLD_MS;
  if (!free && terms !== row.terms && formerTerms !== row.terms) throw termsMismatch(row.terms as string, terms);
  row.terms = terms;
  row.formerTerms = formerTerms;
}

/**
 * Records a request's pause with the key (P15): the later of two counts. What of the burst gathered before its end is
 * gone: the first permit comes with the end, the next one `everyMs` later. Also when the pause is past, since those
 * who gave back what they had reserved behind it turned the timestamp back.
 */
function keepPause(row: PermitRow, { pauseMs = 0, burst, everyMs }: PermitRequest): void {
  if (pauseMs > 0) row.pausedUntilMs = Math.max(row.pausedUntilMs ?? 0, row.lastMs + pauseMs);
  if (row.pausedUntilMs !== undefined) row.tatMs = Math.max(row.tatMs, row.pausedUntilMs + (burst - 1) * everyMs);
}

/** No instant lies before: now, or the end of a pause (P15). */
function fromMs({ lastMs, pausedUntilMs = lastMs }: PermitRow): number {
  return Math.max(lastMs, pausedUntilMs);
}

/** How much earlier than the theoretical arrival time a permit may come: the unused burst. Never positive. */
function shift({ cost, burst, everyMs }: PermitRequest): number {
  return (Math.min(Math.max(cost, 1), burst) - burst) * everyMs;
}

/**
 * True when a permit at this theoretical arrival time is still to come. The last of a burst is not, whatever its sum
 * was rounded to.
 */
function isAhead(request: PermitRequest, tatMs: number, nowMs: number): boolean {
  return tatMs + shift(request) > nowMs + roundingMs(request);
}

/** By how much the sum may be rounded that is the instant of the last permit of a burst. */
function roundingMs({ burst }: PermitRequest): number {
  return Math.min(burst * ROUNDING_MS, MOST_ROUNDING_MS);
}

/** Permits reserved ahead at `nowMs`, by the formula of the distributed throttle's design. */
function reservedAhead({ burst, everyMs }: PermitRequest, tatMs: number, nowMs: number): number {
  return Math.floor(Math.max(0, tatMs - burst * everyMs - nowMs) / everyMs);
}

/** How many permits in a row, up to `count`, the bound allows from this theoretical arrival time on. */
function permitted(request: PermitRequest, tatMs: number, nowMs: number): number {
  let granted = 0;
  for (let t = tatMs; granted < request.count; granted++) {
    if (isAhead(request, t, nowMs) && reservedAhead(request, t, nowMs) >= request.maxReserved) break;
    t = Math.max(t, nowMs) + request.cost * request.everyMs;
  }
  return granted;
}

/**
 * When a refused request would be permitted, if no other came: when the instant itself comes, or when the bound has
 * room (strictly later than the formula's edge).
 */
function openAt(request: PermitRequest, tatMs: number): number {
  if (request.maxReserved === 0) return tatMs + shift(request);
  return tatMs - (request.burst + request.maxReserved) * request.everyMs + 0.001;
}

function grant(
  table: PermitTable,
  row: PermitRow,
  request: PermitRequest,
  given: Pick<PermitEntry, "granted" | "firstMs" | "tatBeforeMs">,
): Reservation {
  const entry = {
    ...given,
    id: request.id,
    stepMs: request.cost * request.everyMs,
    earliestMs: fromMs(row),
  };
  const lastMs = instantOf(entry, given.granted - 1);
  const known = { ...entry, forgetAtMs: lastMs + request.keepMs };
  if (row.stored && lastMs > row.lastMs + roundingMs(request))
    row.aheadUntilMs = Math.max(row.aheadUntilMs ?? 0, lastMs + entry.stepMs);
  table.leaveQueue(request.id);
  table.putEntry(known);
  table.putRow(row);
  return answer(known, row, request);
}

function answer(entry: PermitEntry, row: PermitRow, request: PermitRequest): Reservation {
  const { granted, firstMs, stepMs, earliestMs } = entry;
  return { granted, firstMs, stepMs, earliestMs, retryAfterMs: 0, ...stateOf(row, request) };
}

function refusal(row: PermitRow, request: PermitRequest, retryAfterMs: number): Reservation {
  return { granted: 0, firstMs: 0, stepMs: 0, earliestMs: 0, retryAfterMs, ...stateOf(row, request) };
}

/** What an answer says of the key. */
function stateOf(
  row: PermitRow,
  request: PermitRequest,
): Pick<Reservation, "reservedAhead" | "storeTimeMs" | "pausedForMs" | "limit"> {
  const { everyMs, burst } = request;
  const pausedForMs = fromMs(row) - row.lastMs;
  return {
    reservedAhead: reservedAhead(request, row.tatMs, row.lastMs),
    storeTimeMs: row.lastMs,
    ...(pausedForMs > 0 && { pausedForMs }),
    ...(row.stored && { limit: { everyMs, burst } }),
  };
}
