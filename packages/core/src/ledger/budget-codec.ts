import type { BudgetRow, LeaseRow, LimitRow } from "../budgets/budget-table.ts";
import { damagedBudget } from "../budgets/damaged-budget.ts";
import type { StoredCopy } from "../contract/limit-ledger.ts";
import { isCopy } from "../limits/limit-values.ts";
import { checkList, type RowFormat, tagOf } from "./rows.ts";

/** The version of the format of budgets. */
const VERSION = 1;

const TAG = tagOf(VERSION);

// Undefined terms are null in JSON.
const ROW: RowFormat<Omit<BudgetRow, "limits" | "stored">> = {
  version: VERSION,
  fields: [
    ["lastMs", "time"],
    ["offsetMs", "offset"],
    ["pausedUntilMs", "time"],
    ["terms", "maybeText"],
    ["formerTerms", "maybeText"],
  ],
};

type LimitLists = Pick<LimitRow, "slots" | "units" | "paceMs">;

// Calls that are not held back may charge any number of units, and move the pace as far.
const LIMIT: RowFormat<Omit<LimitRow, keyof LimitLists>> = {
  version: VERSION,
  fields: [
    ["name", "name"],
    ["max", "endless"],
    ["windowMs", "duration"],
    ["latestMs", "time"],
    ["surplus", "real"],
    ["variance", "endless"],
    ["learnedMs", "time"],
  ],
};

const LEASE: RowFormat<Omit<LeaseRow, "costs">> = {
  version: VERSION,
  fields: [
    ["id", "name"],
    ["atMs", "time"],
    ["tier", "count"],
    ["waitMs", "endless"],
    ["limitedBy", "integer"],
    ["forgetAtMs", "time"],
  ],
};

/**
 * A budget's row as a JSON value: its tag, its fields, its limits, and the copy of its stored limits where it has one.
 * The slots of a limit are written as distances from the one before, which are short.
 */
export function encodeBudgetRow(row: BudgetRow): readonly unknown[] {
  const { stored } = row;
  return [TAG, values(ROW, row), row.limits.map(encodeLimit), ...(stored ? [[stored.revision, stored.values]] : [])];
}

function encodeLimit(limit: LimitRow): readonly unknown[] {
  const steps = limit.slots.map((slot, place) => slot - (limit.slots[place - 1] ?? 0));
  return [values(LIMIT, limit), steps, limit.units, limit.paceMs];
}

/**
 * Reads back what {@link encodeBudgetRow} made.
 * @param where what holds it, for messages
 * @throws DtError `DT_STORE_DATA` when it is something else
 */
export function decodeBudgetRow(stored: unknown, where: string): BudgetRow {
  const [tag, fields, limits, copy] = listOf(stored, "a budget", where);
  if (tag !== TAG) throw damagedBudget(where, `format version ${String(tag)}`);
  const { terms, formerTerms, ...times } = checkList(ROW, fields, where, damagedBudget);
  return {
    ...times,
    terms: terms ?? undefined,
    formerTerms: formerTerms ?? undefined,
    limits: listOf(limits, "limits", where).map((limit) => decodeLimit(limit, where)),
    ...(copy !== undefined && { stored: decodeCopy(copy, where) }),
  };
}

function decodeCopy(stored: unknown, where: string): StoredCopy {
  const [revision, values] = listOf(stored, "stored limits", where);
  const copy = { revision, values };
  if (!isCopy("budget", copy)) throw damagedBudget(where, `stored limits ${JSON.stringify(stored).slice(0, 40)}`);
  return copy;
}

function decodeLimit(stored: unknown, where: string): LimitRow {
  const [fields, steps, units, paceMs] = listOf(stored, "a limit", where);
  const limit = checkList(LIMIT, fields, where, damagedBudget);
  if (!(limit.max > 0 && limit.windowMs > 0))
    throw damagedBudget(where, `max ${limit.max} with windowMs ${limit.windowMs}`);
  const lists: LimitLists = {
    slots: slotsOf(listOf(steps, "slots", where), where),
    units: amountsOf(units, "units", where),
    paceMs: amountsOf(paceMs, "paceMs", where),
  };
  if (lists.units.length !== lists.slots.length)
    throw damagedBudget(where, `${lists.units.length} units where ${lists.slots.length} belong`);
  return { ...limit, ...lists };
}

/** Slots ascend. */
function slotsOf(steps: readonly unknown[], where: string): number[] {
  let slot = 0;
  return steps.map((step, place) => {
    slot += step as number;
    if (Number.isSafeInteger(step) && Number.isSafeInteger(slot) && (place === 0 || (step as number) > 0)) return slot;
    throw damagedBudget(where, `slots ${JSON.stringify(steps).slice(0, 40)}`);
  });
}

/** A lease as a JSON value. */
export function encodeLease(lease: LeaseRow): readonly unknown[] {
  return [...values(LEASE, lease), lease.costs];
}

/**
 * Reads back what {@link encodeLease} made.
 * @param where what holds it, for messages
 * @throws DtError `DT_STORE_DATA` when it is something else
 */
export function decodeLease(stored: unknown, where: string): LeaseRow {
  const fields = listOf(stored, "a lease", where);
  const lease = checkList(LEASE, fields.slice(0, -1), where, damagedBudget);
  return { ...lease, costs: amountsOf(fields.at(-1), "costs", where) };
}

function amountsOf(stored: unknown, name: string, where: string): number[] {
  const amounts = listOf(stored, name, where);
  if (amounts.every((amount) => Number.isFinite(amount) && (amount as number) >= 0)) return amounts as number[];
  throw damagedBudget(where, `${name} ${JSON.stringify(amounts).slice(0, 40)}`);
}

function listOf(stored: unknown, name: string, where: string): readonly unknown[] {
  if (Array.isArray(stored)) return stored;
  throw damagedBudget(where, `no list where ${name} belongs`);
}

function values<Row>(format: RowFormat<Row>, row: Row): readonly unknown[] {
  return format.fields.map(([name]) => row[name] ?? null);
}
