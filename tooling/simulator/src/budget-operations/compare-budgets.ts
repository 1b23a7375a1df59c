import { deepStrictEqual } from "node:assert/strict";
import { type BudgetSnapshot, isDtError, type SpendAnswer, type SpendRequest } from "@dt/core";
import { checkSpendRequest, inspectBudget, MemoryBudgetTable, spend } from "@dt/core/ledger";
import { EDGES } from "./edges.ts";
import { type BudgetOperation, RandomOperations } from "./random-operations.ts";

/** A budget ledger whose clock the caller sets. */
export interface TimedBudgets {
  spend(budget: string, request: SpendRequest, clockMs: number): Promise<SpendAnswer>;
  reset(budget: string, clockMs: number): Promise<void>;
  inspect(budget: string, clockMs: number): Promise<BudgetSnapshot | undefined>;
}

/** What operations came to. */
export type Reached = (typeof REACHABLE)[number];

/** Everything that a comparison should have come to: what was never reached was never compared. */
export const REACHABLE = [
  "at once",
  "waits for a limit",
  "waits for a pause",
  "refused",
  "forced",
  "repeated",
  "of a later tier",
  "settled",
  "settled again",
  "debt",
  "learned",
  "stated",
  "paused",
  "nothing reserved",
  "other terms",
  "reset",
  "nothing left",
] as const;

export interface ComparisonOptions {
  readonly seed: number;
  readonly operations: number;
  /** Where the clock begins, in milliseconds. */
  readonly startMs: number;
  /** Default `"b"`. */
  readonly budget?: string;
}

/**
 * Runs the same random operations on a ledger and on the arithmetic of `@dt/core`, at the same times, and compares
 * every answer to the last digit.
 * @throws AssertionError with the operation and both answers
 */
export async function compareBudgets(
  ledger: TimedBudgets,
  { seed, operations, startMs, budget = "b" }: ComparisonOptions,
): Promise<ReadonlySet<Reached>> {
  const random = new RandomOperations(seed, startMs);
  const both = new Both(ledger, budget, `seed ${seed}`);
  for (let i = 0; i < operations; i++) {
    const operation = random.next();
    const answer = await both.run(operation);
    if (answer && operation.kind === "spend") random.answered(operation.request, answer);
  }
  return both.reached;
}

/**
 * Runs the short histories of {@link EDGES}, each on a budget of its own.
 * @throws AssertionError with the operation and both answers
 */
export async function compareEdges(ledger: TimedBudgets, startMs: number): Promise<void> {
  for (const [name, operations] of Object.entries(EDGES)) {
    const both = new Both(ledger, name, name);
    for (const operation of operations) await both.run({ ...operation, clockMs: startMs + operation.clockMs });
  }
}

/** How much later a budget is inspected than it was used. */
const LOOKS_MS = [0, 10, 0.5, 20_000, 1e11] as const;

/** A ledger and the reference. */
class Both {
  readonly reached = new Set<Reached>();
  readonly #ledger: TimedBudgets;
  readonly #budget: string;
  readonly #name: string;
  readonly #reference = new MemoryBudgetTable();
  #operations = 0;

  constructor(ledger: TimedBudgets, budget: string, name: string) {
    this.#ledger = ledger;
    this.#budget = budget;
    this.#name = name;
  }

  async run(operation: BudgetOperation): Promise<SpendAnswer | undefined> {
    const what = `${this.#name}, ${this.#operations++}: ${JSON.stringify(operation)}`;
    const answer = await this.#do(operation, what);
    // Now and then what the budget holds: soon after, so that some of what counts has just come to its end, or much
    // later.
    if (this.#operations % 3 === 0)
      await this.#look(operation.clockMs + (LOOKS_MS[this.#operations % LOOKS_MS.length] as number), what);
    return answer;
  }

  async #look(clockMs: number, what: string): Promise<void> {
    const mine = await this.#ledger.inspect(this.#budget, clockMs);
    const theirs = inspectBudget(this.#reference, this.#budget, clockMs);
    same(mine, theirs, `what the budget holds at ${clockMs} after ${what}`);
    if (theirs === undefined) this.reached.add("nothing left");
    if (theirs?.limits.some(({ margin }) => margin > 0)) this.reached.add("learned");
  }

  async #do(operation: BudgetOperation, what: string): Promise<SpendAnswer | undefined> {
    const { clockMs } = operation;
    if (operation.kind === "reset") {
      this.reached.add("reset");
      await this.#ledger.reset(this.#budget, clockMs);
      this.#reference.forget();
      return undefined;
    }
    const { request } = operation;
    checkSpendRequest(this.#budget, request);
    const known = request.settle?.map(({ id }) => this.#reference.lease(id) !== undefined) ?? [];
    const isRepeat = this.#reference.lease(request.reserve?.id ?? "") !== undefined;
    const mine = await this.#ledger.spend(this.#budget, request, clockMs).catch(mismatch);
    const theirs = await this.#spend(request, clockMs).catch(mismatch);
    same(mine, theirs, what);
    if (typeof theirs === "string") {
      this.reached.add("other terms");
      return undefined;
    }
    if (isRepeat) this.reached.add("repeated");
    for (const is of known) this.reached.add(is ? "settled" : "settled again");
    for (const came of whatCame(request, theirs)) this.reached.add(came);
    return theirs;
  }

  async #spend(request: SpendRequest, clockMs: number): Promise<SpendAnswer> {
    return spend(this.#reference, request, clockMs);
  }
}

function same(mine: unknown, theirs: unknown, what: string): void {
  deepStrictEqual(mine, theirs, `${what}\n${JSON.stringify([mine, theirs])}`);
}

/** Terms that are refused are an answer too. */
function mismatch(error: unknown): string {
  if (isDtError(error, "DT_PACE_MISMATCH")) return error.message;
  throw error;
}

function whatCame(
  { reserve, stated, pauseMs = 0 }: SpendRequest,
  { granted, waitMs, limitedBy, rests }: SpendAnswer,
): Reached[] {
  const came: Reached[] = [];
  if (rests.some((rest) => rest < 0)) came.push("debt");
  if (stated) came.push("stated");
  if (pauseMs > 0) came.push("paused");
  if (!reserve) return [...came, "nothing reserved"];
  if (reserve.tier > 0) came.push("of a later tier");
  if (reserve.force) return [...came, "forced"];
  if (!granted) return [...came, "refused"];
  if (waitMs === 0) return [...came, "at once"];
  return [...came, limitedBy === -1 ? "waits for a pause" : "waits for a limit"];
}
