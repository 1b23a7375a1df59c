import type { LimitKind, StoredCopy } from "../contract/limit-ledger.ts";
import { LONGEST_WINDOW_MS, MOST_UNITS } from "../internal/amounts.ts";

const MOST_SLOTS = 1_000;
const MOST_NAMES = 16;
const LONGEST_NAME = 128;

type Test = (value: unknown) => boolean;

const isWithin = (value: unknown, least: number, most: number): boolean =>
  typeof value === "number" && value >= least && value <= most;
const isAmount: Test = (value) => isWithin(value, Number.MIN_VALUE, MOST_UNITS);
const isWhole: Test = (value) => Number.isSafeInteger(value) && isWithin(value, 1, MOST_UNITS);
const isWindow: Test = (value) => isWithin(value, 1, LONGEST_WINDOW_MS);
const isBurst: Test = (value) => isWithin(value, 1, MOST_UNITS);
const isCount: Test = (value) => isWhole(value) && isWithin(value, 1, MOST_SLOTS);

interface Numbers {
  readonly needed: Readonly<Record<string, Test>>;
  readonly others: Readonly<Record<string, Test>>;
  /** For messages. */
  readonly form: string;
}

/** The numbers of each kind of limit. Those of a budget have the names of its limits. */
const NUMBERS: Readonly<Record<Exclude<LimitKind, "budget">, Numbers>> = {
  group: { needed: { max: isWhole }, others: {}, form: "{ max }, a whole number >= 1" },
  permits: {
    needed: { everyMs: isAmount },
    others: { burst: isWhole },
    form: "{ everyMs }, a number > 0, and perhaps burst, a whole number >= 1",
  },
  keyed: {
    needed: { max: isAmount, windowMs: isWindow, burst: isBurst },
    others: { concurrent: isCount },
    form: "{ max, windowMs, burst }, numbers > 0, windowMs from 1 to 8640000000 (100 days), burst >= 1, and perhaps concurrent, a whole number from 1 to 1000",
  },
  learned: {
    needed: {},
    others: { rate: isAmount, limit: isBurst },
    form: "{ rate }, a number > 0, or { limit }, a number >= 1, or both",
  },
};

/**
 * What is wrong with the values of a limit of this kind: what is wanted instead, for messages. Undefined where nothing
 * is.
 */
export function faultOfValues(kind: LimitKind, values: unknown): string | undefined {
  const isObject = typeof values === "object" && values !== null && !Array.isArray(values);
  const entries = isObject ? Object.entries(values) : [];
  if (kind === "budget") {
    const isBudget =
      entries.length >= 1 &&
      entries.length <= MOST_NAMES &&
      entries.every(([name, value]) => name !== "" && name.length <= LONGEST_NAME && isAmount(value));
    return isBudget ? undefined : "the max of one limit or more, by the limit's name: numbers > 0";
  }
  const { needed, others, form } = NUMBERS[kind];
  const tests = { ...needed, ...others };
  const isRight =
    entries.length >= 1 &&
    Object.keys(needed).every((name) => Object.hasOwn(values as object, name)) &&
    entries.every(([name, value]) => Object.hasOwn(tests, name) && (tests[name] as Test)(value));
  return isRight ? undefined : form;
}

/** True for a copy of a limit of this kind (L4). */
export function isCopy(kind: LimitKind, value: unknown): value is StoredCopy {
  if (typeof value !== "object" || value === null) return false;
  const { revision, values } = value as { readonly revision?: unknown; readonly values?: unknown };
  return Number.isSafeInteger(revision) && faultOfValues(kind, values) === undefined;
}
