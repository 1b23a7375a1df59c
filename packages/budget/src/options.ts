import type { BudgetLedger, CoordinationStore, Duration, LimitLedger, Runtime } from "@dt/core";
import {
  checkKeys,
  checkPriority,
  checkVersion,
  invalidOption,
  option,
  type Settings,
  settingsOf,
  type TableOf,
} from "@dt/core/internal";
import { checkLimits, type LimitOptions, type LimitSettings } from "./limits.ts";

/** A part of every limit that low priorities leave to the others. */
export interface Holdback {
  /** Priorities below this one are held back: -8 to 9. */
  readonly below: number;
  /** The part of every limit that they leave: more than 0, less than 1. */
  readonly keep: number;
}

/** Options of `createBudget`. Durations are milliseconds or text such as `"2s"`. */
export interface BudgetOptions<Limit extends string = string> {
  /** The budget's name: budgets of one name on one store share their limits. 1 to 1,024 UTF-8 bytes. */
  readonly name: string;
  /**
   * Where the budget is kept: a store with budgets. With `concurrent` it needs semaphores as well. Not closed by it.
   */
  readonly store: BudgetLedger & Partial<CoordinationStore> & Partial<LimitLedger>;
  /** The limits by name, such as `requests` and `tokens`: 1 to 8. */
  readonly limits: { readonly [Name in Limit]: LimitOptions };
  /**
   * True where the limits live in the store: an operator changes each `max` there for the whole fleet, with `setLimit`
   * or `dt limit set`. The limits here are the code's values then. They count where none are set, by the process that
   * comes first, and their sizes need not be the same in all. See docs/limiters.md, "Limits in one place".
   * @default false
   */
  readonly stored?: boolean;
  /**
   * The most calls in flight over the whole fleet. Each call takes a slot of a semaphore of the budget's name.
   * @default none
   */
  readonly concurrent?: number;
  /**
   * What low priorities leave to the others, such as `[{ below: 0, keep: 0.2 }]`: at 80 % of a limit, calls of
   * priorities below 0 wait, and the others go on. At most 7.
   * @default none
   */
  readonly holdback?: readonly Holdback[];
  /**
   * Whether the limits hold. `false`: every call goes on once the store has answered or failed, and the budget counts
   * the calls that would have waited: `status().wouldWait`.
   * @default true
   */
  readonly enforce?: boolean;
  /**
   * Most reservations of one priority that this process has waiting in the fleet's line. More of them take turns from
   * others, and make the process's own callers wait for each other.
   * @default 2
   */
  readonly maxAhead?: number;
  /**
   * How long after its call began a lease may be settled. A lease that is not settled then stays spent, and is reported
   * by the event `unsettled`.
   * @default 10 minutes
   */
  readonly settleWithin?: Duration;
  /**
   * How much later than its instant a call may begin. A call that comes later reserves anew. It is a part of every
   * window, so that late calls keep the limit as well. The round trip of the answer counts, so give more than the
   * slowest one that is to be of use.
   * @default a fiftieth of the shortest time of the rates, from 25 to 250 ms
   */
  readonly lateness?: Duration;
  /**
   * The `terms` of the budgets of this name that this one replaces, while a change of its limits is rolled out. The
   * error of a budget that is refused shows them.
   * @default none
   */
  readonly replaces?: string;
  /**
   * Deadline of every call to the store.
   * @default 1.25 s: a little more than an adapter's own (1 s), whose error names the cause
   */
  readonly storeTimeout?: Duration;
  /**
   * How long a caller waits that gives no `timeout`. Its call then rejects with `DT_TIMEOUT`.
   * @default none: it waits for as long as it takes
   */
  readonly acquireTimeout?: Duration;
  /**
   * Most callers that may wait at once. More are refused with `DT_QUEUE_FULL`.
   * @default 10,000
   */
  readonly maxWaiters?: number;
  /**
   * Time, timers and randomness.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

/** Options, checked. */
export interface BudgetSettings
  extends Settings<Omit<BudgetOptions, "limits" | "holdback" | "replaces" | "concurrent">, "acquireTimeout"> {
  /** The limits in force: where they live in the store, they follow its answers. */
  readonly limits: readonly LimitSettings[];
  /** The limits of the code, which requests say. */
  readonly code: readonly LimitSettings[];
  readonly concurrent: number | undefined;
  /** Of each tier the part that it leaves to those before it, from the highest priorities on. */
  readonly keeps: readonly number[];
  readonly terms: string;
  readonly formerTerms: string | undefined;
  tierOf(priority: number): number;
}

const BUDGET = {
  name: option.name,
  store: option.checked(checkStore),
  limits: option.later,
  stored: option.boolean.or(false),
  concurrent: option.integer(1).optional,
  holdback: option.later,
  enforce: option.boolean.or(true),
  maxAhead: option.integer(1, 100).or(2),
  settleWithin: option.duration(1_000, 86_400_000).or("10m"),
  lateness: option.duration(1, 60_000).optional,
  replaces: option.name.optional,
  storeTimeout: option.duration(1).or(1_250),
  acquireTimeout: option.duration(1).optional,
  maxWaiters: option.integer(1).or(10_000),
  runtime: option.runtime,
} satisfies TableOf<BudgetOptions>;

/**
 * Checks every option once, at the public door.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function checkBudgetOptions(options: BudgetOptions): BudgetSettings {
  const { replaces, latenessMs: lateness, ...settings } = settingsOf(BUDGET, options);
  const rates = checkLimits(options.limits);
  const shortestMs = Math.min(...rates.map(({ windowMs }) => windowMs));
  const latenessMs = lateness ?? Math.min(250, Math.max(25, shortestMs / 50));
  if (latenessMs >= shortestMs)
    throw invalidOption("lateness", latenessMs, `give less than the shortest time of a rate, ${shortestMs} ms`);
  const limits = rates.map((limit) => ({ ...limit, windowMs: limit.windowMs + latenessMs }));
  const { keeps, tierOf } = checkHoldback(options.holdback ?? []);
  if (settings.stored && !settings.store.setLimit)
    throw invalidOption("stored", true, "this store keeps no limits; leave it out, or use a store that has setLimit");
  if (settings.concurrent !== undefined && settings.store.capabilities?.slots !== true)
    throw invalidOption(
      "concurrent",
      settings.concurrent,
      "this store has no queue for semaphores; leave it out, or use memory, SQLite, Redis or PostgreSQL",
    );
  const terms = [
    ...limits.map(({ name, max, windowMs, burst }) =>
      settings.stored
        ? `${name} in ${rounded(windowMs)} ms`
        : `${name} ${rounded(max)} in ${rounded(windowMs)} ms, burst ${rounded(burst)}`,
    ),
    ...(keeps.length > 1 ? [`keeps ${keeps.join(", ")}`] : []),
  ].join("; ");
  return { ...settings, latenessMs, limits, code: limits, keeps, tierOf, terms, formerTerms: replaces };
}

/** Sums of fractions differ in their last digits. */
function rounded(number: number): number {
  return Number(number.toPrecision(9));
}

function checkHoldback(holdback: readonly Holdback[]): Pick<BudgetSettings, "keeps" | "tierOf"> {
  if (!Array.isArray(holdback) || holdback.length > 7)
    throw invalidOption("holdback", holdback, "give a list of at most 7, such as [{ below: 0, keep: 0.2 }]");
  const sorted = [...holdback].sort((a, b) => b?.below - a?.below);
  for (const [index, one] of sorted.entries()) {
    if (typeof one !== "object" || one === null) throw invalidOption("holdback", one, "give { below: 0, keep: 0.2 }");
    checkKeys("holdback", one, new Set(["below", "keep"]), "holdback.");
    if (checkPriority(one.below) === -9)
      throw invalidOption("holdback.below", one.below, "no priority is lower; give -8 to 9");
    const before = sorted[index - 1];
    if (before?.below === one.below) throw invalidOption("holdback.below", one.below, "give each priority once");
    const least = before?.keep ?? 0;
    if (!(typeof one.keep === "number" && one.keep > 0 && one.keep < 1 && one.keep >= least))
      throw invalidOption(
        "holdback.keep",
        one.keep,
        `give a number > 0 and < 1, for lower priorities not less: at least ${least}`,
      );
  }
  return {
    keeps: [0, ...sorted.map(({ keep }) => keep)],
    tierOf: (priority) => sorted.filter(({ below }) => priority < below).length,
  };
}

function checkStore(name: string, store: unknown): BudgetOptions["store"] {
  checkVersion(name, store);
  if (typeof (store as Partial<BudgetLedger> | undefined)?.spend === "function") return store as BudgetOptions["store"];
  throw invalidOption(
    name,
    store,
    "give a store that keeps budgets: memory, SQLite, Redis, PostgreSQL, etcd or DynamoDB",
  );
}
