import type { BudgetLimit } from "@dt/core";
import { checkKeys, invalidOption, parseRate, type Rate } from "@dt/core/internal";
import { PARTS, type Part } from "./parts.ts";

/** One limit of a budget. */
export interface LimitOptions {
  /**
   * Units in how much time: `"600/min"`, `"60000/min"`, `"10/s"`, or a number a second. In no such time, wherever it
   * begins, the calls begun cost more than that.
   */
  readonly rate: Rate;
  /**
   * Units that may be spent at once after idleness. The rest is spread evenly. `rate` holds all the same.
   * @default a fiftieth of the units of `rate`, at least 1
   */
  readonly burst?: number;
  /**
   * What a unit of each part of a cost counts: `input`, `cached`, `cacheWrite`, `output`, `reasoning`. 0 for parts that
   * the callee does not count.
   * @default 1 for each
   */
  readonly weights?: Readonly<Partial<Record<Part, number>>>;
}

/** A limit, checked: as the ledger takes it, and its weights. */
export interface LimitSettings extends BudgetLimit {
  readonly weights: Readonly<Record<Part, number>>;
}

const OPTIONS: ReadonlySet<string> = new Set(["rate", "burst", "weights"]);
const DEFAULT_BURST = 1 / 50;
const MOST_LIMITS = 8;

/**
 * Checks the limits of a budget.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkLimits(limits: unknown): readonly LimitSettings[] {
  const remedy = 'give 1 to 8 limits by name: { requests: { rate: "600/min" }, tokens: { rate: "60000/min" } }';
  if (typeof limits !== "object" || limits === null || Array.isArray(limits))
    throw invalidOption("limits", limits, remedy);
  const entries = Object.entries(limits);
  if (entries.length === 0 || entries.length > MOST_LIMITS) throw invalidOption("limits", limits, remedy);
  return entries.map(([name, options]) => checkLimit(name, options as LimitOptions));
}

function checkLimit(name: string, given: LimitOptions): LimitSettings {
  const option = `limits.${name}`;
  if (name === "" || name === "concurrent")
    throw invalidOption(option, name, "give the limit another name; calls in flight have an option of their own");
  if (typeof given !== "object" || given === null) throw invalidOption(option, given, 'give { rate: "60000/min" }');
  checkKeys(option, given, OPTIONS, `${option}.`);
  const { count: max, intervalMs } = parseRate(`${option}.rate`, given.rate);
  if (max < 1) throw invalidOption(`${option}.rate`, given.rate, "give at least one unit");
  const burst = given.burst ?? Math.max(1, max * DEFAULT_BURST);
  if (typeof burst !== "number" || !(burst > 0) || burst > max)
    throw invalidOption(`${option}.burst`, burst, `give a number > 0, at most the ${max} of its rate`);
  return { name, max, windowMs: intervalMs, burst, weights: checkWeights(option, given.weights ?? {}) };
}

function checkWeights(
  option: string,
  weights: Readonly<Partial<Record<Part, number>>>,
): Readonly<Record<Part, number>> {
  if (typeof weights !== "object" || weights === null)
    throw invalidOption(`${option}.weights`, weights, "give { input: 1, output: 1 }");
  checkKeys(`${option}.weights`, weights, new Set<string>(PARTS), `${option}.weights.`);
  const all = PARTS.map((part) => {
    const weight = weights[part] ?? 1;
    if (typeof weight === "number" && weight >= 0 && weight <= 1_000) return [part, weight] as const;
    throw invalidOption(`${option}.weights.${part}`, weight, "give a number from 0 to 1,000");
  });
  return Object.fromEntries(all) as Record<Part, number>;
}
