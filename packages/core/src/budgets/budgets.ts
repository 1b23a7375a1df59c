import type {
  BudgetLimit,
  Settlement,
  SpendAnswer,
  SpendRequest,
  SpendReservation,
} from "../contract/budget-ledger.ts";
import { termsMismatch } from "../permits/permits.ts";
import { TERMS_HOLD_MS } from "../permits/terms-hold.ts";
import type { BudgetRow, BudgetTable, LeaseRow, LimitRow } from "./budget-table.ts";
import { learn, marginOf } from "./learning.ts";
import { inForce, keepCopy, mostAheadMs } from "./stored-limit.ts";
import { charge, fullestAt, placeOf, prune, resize, roomAt, spentOf } from "./window.ts";

/*
 * The budget ledger's arithmetic as pure functions over a table; rule numbers are those of `budget-ledger.ts`. Each
 * function must run atomically for its budget; `clockMs` is the store's own clock.
 *
 * A call may begin at the latest of
 * The window is the promise. The pace keeps calls from coming in waves a window apart.
 */

/** A turn in the pace so little ahead has come: sums of times are rounded. */
const NOW_MS = 1 / 16;

/**
 * A call that waits for one limit takes its turn in the pace of another at its instant, and at most so much later than
 * now. Calls that do not need the first limit wait no longer than that.
 */
const LEAD_MS = 1_000;

/** No pause is longer. */
const LONGEST_PAUSE_MS = 86_400_000;

const NOTHING = -2;
const PAUSE = -1;

/**
 * Settles, takes in what is stated and a pause, and reserves (B3 to B9).
 * @throws DtError `DT_PACE_MISMATCH`, and `DT_STORE_DATA` for a damaged limit record; nothing has been put then
 */
export function spend(table: BudgetTable, request: SpendRequest, clockMs: number): SpendAnswer {
  const row = table.row() ?? { lastMs: clockMs, offsetMs: 0, pausedUntilMs: 0, limits: [] };
  const usedMs = row.lastMs;
  advanceBudget(row, clockMs);
  const nowMs = row.lastMs;
  if (request.reserve) matchTerms(row, request, nowMs - usedMs);
  table.forgetLeases(nowMs);
  keepCopy(table, row, request, { idleMs: nowMs - usedMs, clockMs });
  const declared = request.limits.map((limit) => inForce(limit, request.stored, row.stored));
  const limits = declared.map((limit) => limitOf(row, limit, request.keeps.length));
  for (const limit of row.limits) prune(limit, nowMs);
  for (const settlement of request.settle ?? []) settle(table, row, limits, settlement);
  for (const { limit, rest, resetMs } of request.stated ?? []) state(limits[limit] as LimitRow, rest, resetMs, nowMs);
  const pauseMs = Math.min(request.pauseMs ?? 0, LONGEST_PAUSE_MS);
  if (pauseMs > 0) row.pausedUntilMs = Math.max(row.pausedUntilMs, nowMs + pauseMs);
  const reserved = request.reserve && reserve(table, row, limits, { ...request, limits: declared }, request.reserve);
  table.putRow(row);
  return answerOf(reserved, row, limits);
}

/** Lets a budget's time go on to the store's clock; it never goes back (B2). */
export function advanceBudget(row: BudgetRow, clockMs: number): void {
  if (clockMs + row.offsetMs < row.lastMs) row.offsetMs = row.lastMs - clockMs;
  // The sum may be rounded to less.
  row.lastMs = Math.max(row.lastMs, clockMs + row.offsetMs);
}

/** Records a request's terms with the budget, unless its users have others (B9). */
function matchTerms(row: BudgetRow, { terms, formerTerms }: SpendRequest, idleMs: number): void {
  if (terms === undefined || (terms !== row.terms && formerTerms !== row.terms && terms === row.formerTerms)) return;
  const free = row.terms === undefined || idleMs > TERMS_HOLD_MS;
  if (!free && terms !== row.terms && formerTerms !== row.terms) throw termsMismatch(row.terms as string, terms);
  row.terms = terms;
  row.formerTerms = formerTerms;
}

/** A limit's row, as the request declares it; a new one where the budget has none of this name. */
function limitOf(row: BudgetRow, { name, max, windowMs }: BudgetLimit, tiers: number): LimitRow {
  let limit = row.limits.find((known) => known.name === name);
  if (!limit) {
    limit = {
      name,
      max,
      windowMs,
      slots: [],
      units: [],
      paceMs: [],
      latestMs: 0,
      surplus: 0,
      variance: 0,
      learnedMs: 0,
    };
    row.limits.push(limit);
  }
  limit.max = max;
  resize(limit, windowMs);
  while (limit.paceMs.length < tiers) limit.paceMs.push(limit.paceMs.at(-1) ?? 0);
  return limit;
}

/** Settles one lease (B6); nothing happens where it is not known. */
function settle(table: BudgetTable, row: BudgetRow, limits: readonly LimitRow[], settlement: Settlement): void {
  const lease = table.lease(settlement.id);
  if (!lease) return;
  table.removeLease(lease.id);
  for (const [place, limit] of row.limits.entries()) {
    const reserved = lease.costs[place] ?? 0;
    const index = limits.indexOf(limit);
    const spent = index < 0 ? reserved : (settlement.costs[index] as number);
    correct(limit, lease, spent - reserved, row.lastMs);
    if (settlement.measured) learn(limit, reserved - spent, row.lastMs - lease.atMs, row.lastMs);
  }
}

/**
 * Charges what a call cost more than was reserved, or takes back what it cost less. A charge whose window has passed is
 * not taken back. More is charged to the slot of the call, or now where that has passed, as far as the debt is less
 * than `max`.
 */
function correct(limit: LimitRow, { atMs, tier }: LeaseRow, more: number, nowMs: number): void {
  const place = placeOf(limit, atMs);
  if (more === 0 || (place < 0 && more < 0)) return;
  const units = more > 0 ? Math.min(more, Math.max(0, 2 * limit.max - spentOf(limit))) : more;
  if (place < 0) charge(limit, nowMs, units);
  else limit.units[place] = Math.max(0, (limit.units[place] as number) + units);
  const byMs = units * everyMs(limit, nowMs);
  for (let later = tier; later < limit.paceMs.length; later++) {
    const paceMs = limit.paceMs[later] as number;
    limit.paceMs[later] = Math.max(Math.min(paceMs, nowMs), Math.max(paceMs, more > 0 ? nowMs : 0) + byMs);
  }
}

/** Lowers what is left of a limit to what the callee states (B7), until the callee's limit is full again. */
function state(limit: LimitRow, rest: number, resetMs: number, nowMs: number): void {
  const over = limit.max - spentOf(limit) - rest;
  if (over > 0) charge(limit, nowMs + Math.min(resetMs, limit.windowMs) - limit.windowMs, over);
}

/** A reservation, or one that was refused. */
interface Reserved {
  readonly granted: boolean;
  readonly lease: LeaseRow;
}

/** Reserves all of a cost, or nothing (B3, B4). A repeat is answered the same lease (B8). */
function reserve(
  table: BudgetTable,
  row: BudgetRow,
  limits: readonly LimitRow[],
  { limits: declared, keeps }: SpendRequest,
  { id, costs, tier, maxWaitMs, keepMs, force = false }: SpendReservation,
): Reserved {
  const known = table.lease(id);
  if (known) return { granted: true, lease: known };
  const nowMs = row.lastMs;
  let [dueMs, limitedBy] = row.pausedUntilMs > nowMs ? [row.pausedUntilMs, PAUSE] : [nowMs, NOTHING];
  const asked = limits
    .map((limit, index) =>
      askOf(limit, declared[index] as BudgetLimit, costs[index] as number, tier, keeps[tier] as number, nowMs),
    )
    .filter(({ cost }) => cost > 0);
  for (const { limit, turnMs } of asked) if (turnMs > dueMs) [dueMs, limitedBy] = [turnMs, row.limits.indexOf(limit)];
  if (asked.some(({ limit, cost, most }) => fullestAt(limit, dueMs) + cost > most))
    for (const { limit, cost, most } of asked) {
      const roomMs = roomAt(limit, cost, most);
      if (roomMs > dueMs) [dueMs, limitedBy] = [roomMs, row.limits.indexOf(limit)];
    }
  const tooDear = asked.find(({ cost, tierMax }) => cost > tierMax);
  if (tooDear) [dueMs, limitedBy] = [nowMs + tooDear.limit.windowMs, row.limits.indexOf(tooDear.limit)];
  const waitMs = dueMs - nowMs;
  const atMs = force ? nowMs : dueMs;
  const lease = {
    ...{ id, atMs, tier, waitMs, limitedBy },
    costs: row.limits.map((limit) => costs[limits.indexOf(limit)] ?? 0),
    forgetAtMs: atMs + keepMs,
  };
  const mostMs = row.stored ? Math.min(maxWaitMs, mostAheadMs(declared)) : maxWaitMs;
  if (!force && (tooDear || waitMs > mostMs)) return { granted: false, lease };
  for (const [index, limit] of limits.entries()) {
    const cost = costs[index] as number;
    if (cost > 0) take(limit, cost, tier, atMs, nowMs);
  }
  table.putLease(lease);
  return { granted: true, lease };
}

/** What a cost asks of one limit. */
interface Ask {
  readonly limit: LimitRow;
  readonly cost: number;
  /** Its turn in the pace; 0 where that has come. */
  readonly turnMs: number;
  /** Units that a window may hold with it. */
  readonly most: number;
  /** Units that a window may hold of its tier. A cost beyond that has to wait until the limit is raised (B13). */
  readonly tierMax: number;
}

function askOf(limit: LimitRow, { burst }: BudgetLimit, cost: number, tier: number, keep: number, nowMs: number): Ask {
  const paceMs = (limit.paceMs[tier] as number) + (Math.min(cost, burst) - burst) * everyMs(limit, nowMs);
  const tierMax = limit.max * (1 - keep);
  return {
    ...{ limit, cost, tierMax },
    turnMs: paceMs - nowMs < NOW_MS ? 0 : paceMs,
    most: Math.max(tierMax - marginOf(limit, nowMs), Math.min(cost, tierMax)),
  };
}

/** Charges a cost to a limit's window, and moves the pace of its tier and of those behind it. */
function take(limit: LimitRow, cost: number, tier: number, atMs: number, nowMs: number): void {
  charge(limit, atMs, cost);
  limit.latestMs = Math.max(limit.latestMs, atMs);
  const beginMs = Math.min(atMs, nowMs + LEAD_MS);
  const takenMs = cost * everyMs(limit, nowMs);
  for (let later = tier; later < limit.paceMs.length; later++)
    limit.paceMs[later] = Math.max(limit.paceMs[later] as number, beginMs) + takenMs;
}

/** The even distance of units. */
function everyMs(limit: LimitRow, nowMs: number): number {
  return limit.windowMs / (limit.max - marginOf(limit, nowMs));
}

function answerOf(reserved: Reserved | undefined, row: BudgetRow, limits: readonly LimitRow[]): SpendAnswer {
  const nowMs = row.lastMs;
  const { granted = false, lease } = reserved ?? {};
  const limitedBy =
    lease && lease.limitedBy >= 0 ? limits.indexOf(row.limits[lease.limitedBy] as LimitRow) : lease?.limitedBy;
  return {
    granted,
    atMs: granted ? (lease?.atMs as number) : 0,
    waitMs: lease?.waitMs ?? 0,
    ...(limitedBy !== undefined && limitedBy !== NOTHING && { limitedBy }),
    pausedForMs: Math.max(0, row.pausedUntilMs - nowMs),
    rests: limits.map((limit) => limit.max - spentOf(limit)),
    ...(row.stored && { maxes: limits.map(({ max }) => max) }),
    storeTimeMs: nowMs,
  };
}
