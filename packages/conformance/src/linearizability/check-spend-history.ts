import type { SpendAnswer, SpendRequest } from "@dt/core";
import { spend } from "@dt/core/ledger";
import { PlainBudgetTable } from "../budgets/plain-budget-table.ts";
import { printSpendAnswer } from "../budgets/print-answer.ts";
import { followSpend } from "../budgets/specification.ts";
import type { HistoryEntry } from "../history.ts";
import type { LinearizabilityOptions, LinearizabilityVerdict } from "./operation.ts";

/** One call of `spend` as it was seen from outside. Times are of one monotonic clock of the observer. */
export interface SpendOperation {
  /** When the call was sent. */
  readonly startMs: number;
  /**
   * When it was answered. Undefined when it never was (timeout, lost connection, effect `unknown`): it took effect at
   * any time after it was sent, or never.
   */
  readonly endMs?: number | undefined;
  /** What was asked. */
  readonly request: SpendRequest;
  /** Present exactly when `endMs` is. */
  readonly answer?: SpendAnswer | undefined;
}

/** Steps without a pause. */
const PORTION = 20;
/** Operations that are explained. */
const SHOWN = 3;

interface Node {
  readonly table: PlainBudgetTable;
  readonly done: ReadonlySet<number>;
  /** Operations in the order of their effects. */
  readonly order: readonly number[];
}

/**
 * The calls of `spend` on one budget in a case's history, as the checker takes them. Calls that failed with effect
 * `definite` did nothing.
 * @param history the calls on a store, as they were recorded
 * @param budget the budget's name
 * @example const operations = spendOperations(history, "llm");
 */
export function spendOperations(history: readonly HistoryEntry[], budget: string): SpendOperation[] {
  return history.flatMap((entry): SpendOperation[] => {
    if (entry.call !== "spend" || entry.subject !== budget || entry.error?.effect === "definite") return [];
    const { startMs, args } = entry;
    const endMs = entry.error ? undefined : entry.endMs;
    const answer = endMs === undefined ? undefined : (entry.result as SpendAnswer);
    return [{ startMs, endMs, request: args as unknown as SpendRequest, answer }];
  });
}

/**
 * Whether a history of calls on one budget has a sequential explanation. That is an order of the operations, each with
 * its effect between its start and its end, in which core's arithmetic gives every answer to the last digit. The search
 * is that of {@link checkPermitHistory}. The store times in the answers order most operations. Only equal times and
 * unanswered calls branch.
 *
 * Limits. The budget must be new at the first operation. When an unanswered call was served does not show, and its
 * instant depends on it: where no order is found and there are such calls, the verdict is `undecided`.
 * @param operations the operations of one budget, as {@link spendOperations} finds them
 * @param options how long the search may take
 * @example const order = checkSpendHistory(spendOperations(history, "llm"));
 */
export function checkSpendHistory(
  operations: readonly SpendOperation[],
  options: Pick<LinearizabilityOptions, "maxSteps"> = {},
): LinearizabilityVerdict {
  const run = searchSpends(operations, options);
  for (;;) {
    const { done, value } = run.next();
    if (done) return value;
  }
}

/** The same in portions: it yields after every few steps, so that others can go on meanwhile. */
export function* searchSpends(
  operations: readonly SpendOperation[],
  { maxSteps = 1_000_000 }: Pick<LinearizabilityOptions, "maxSteps">,
): Generator<void, LinearizabilityVerdict> {
  const answered = operations.flatMap(({ answer }, index) => (answer ? [index] : []));
  const seen = new Set<string>();
  const stack: Node[] = [{ table: new PlainBudgetTable(), done: new Set(), order: [] }];
  let longest = stack[0] as Node;
  let steps = 0;
  for (; stack.length > 0; steps++) {
    if (steps >= maxSteps) return { verdict: "undecided", steps };
    if (steps % PORTION === PORTION - 1) yield;
    const node = stack.pop() as Node;
    const state = `${[...node.done].sort((a, b) => a - b).join(" ")} ${node.table.fingerprint()}`;
    if (seen.has(state)) continue;
    seen.add(state);
    if (answered.every((index) => node.done.has(index))) return { verdict: "linearizable", order: node.order };
    if (node.order.length > longest.order.length) longest = node;
    // The last one pushed is tried first: the one that was served first by the answers' times.
    for (const index of candidates(operations, node.done).reverse())
      for (const table of statesAfter(operations, index, node))
        stack.push({ table, done: new Set([...node.done, index]), order: [...node.order, index] });
  }
  if (answered.length < operations.length) return { verdict: "undecided", steps };
  return { verdict: "not linearizable", order: longest.order, explanation: explain(operations, longest) };
}

/** Operations that may come next: no other one ended before they started. In the order of the answers' times. */
function candidates(operations: readonly SpendOperation[], done: ReadonlySet<number>): number[] {
  let firstEndMs = Number.POSITIVE_INFINITY;
  for (const [index, { endMs }] of operations.entries())
    if (endMs !== undefined && !done.has(index)) firstEndMs = Math.min(firstEndMs, endMs);
  const open = operations.flatMap(({ startMs }, index) => (!done.has(index) && startMs <= firstEndMs ? [index] : []));
  const timeOf = (index: number): number => operations[index]?.answer?.storeTimeMs ?? Number.POSITIVE_INFINITY;
  return open.sort((a, b) => timeOf(a) - timeOf(b));
}

/** States after an operation that agree with its answer; of an unanswered one, at the times that it may have had. */
function statesAfter(operations: readonly SpendOperation[], index: number, { table, done }: Node): PlainBudgetTable[] {
  const { request, answer } = operations[index] as SpendOperation;
  const rest = operations.filter((_, other) => !done.has(other));
  const nextMs = Math.min(...rest.map((other) => other.answer?.storeTimeMs ?? Number.POSITIVE_INFINITY));
  if (answer) {
    // Times among the answers never go back.
    if (answer.storeTimeMs > nextMs) return [];
    const followed = followSpend(table, request, answer);
    return "after" in followed ? [followed.after] : [];
  }
  const { lastMs } = table.budget ?? {};
  const id = request.reserve?.id;
  // A repeat tells when the lease was made.
  const told = rest.flatMap(({ request: other, answer: known }) =>
    known?.granted && other.reserve?.id === id ? [known.atMs - known.waitMs] : [],
  );
  return [...new Set([nextMs, lastMs ?? nextMs, ...told])]
    .filter((atMs) => Number.isFinite(atMs) && atMs >= (lastMs ?? 0) && atMs <= nextMs)
    .map((atMs) => {
      const after = table.clone();
      spend(after, request, atMs);
      return after;
    });
}

/** Why no operation can come next: what each of those that could should have been answered. */
function explain(operations: readonly SpendOperation[], { table, done }: Node): string {
  const lines = candidates(operations, done).flatMap((index) => {
    const { request, answer, startMs } = operations[index] as SpendOperation;
    if (!answer) return [];
    const what = `spend ${JSON.stringify(request.reserve?.id)} (sent at ${startMs.toFixed(1)} ms)`;
    const followed = followSpend(table, request, answer);
    if ("after" in followed) return [`${what} fits, but nothing that can follow it does`];
    return [`${what}\n  should be: ${followed.expected}\n  was:       ${printSpendAnswer(answer)}`];
  });
  return `after ${done.size} of ${operations.length} operations in order, the next one cannot be explained\n${lines.slice(0, SHOWN).join("\n")}`;
}
