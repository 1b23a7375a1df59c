import type { PlainPermitTable } from "../permits/plain-permit-table.ts";
import { printReservation } from "../permits/print-reservation.ts";
import { followReserve } from "../permits/specification.ts";
import type { LinearizabilityOptions, LinearizabilityVerdict, PermitOperation } from "./operation.ts";
import { State } from "./state.ts";
import { answerOf, candidates, successors } from "./successors.ts";

/** Steps without a pause. */
const PORTION = 20;

/** A state of the search: which operations have taken effect, and the key's state after them. */
interface Node {
  readonly table: State;
  /** Operations in the order of their effects. */
  readonly order: readonly number[];
}

/**
 * Whether a history of calls on one key has a sequential explanation. That is an order of the operations, each with its
 * effect between its start and its end, in which core's permit arithmetic gives every answer. The search is Wing and
 * Gong's with Lowe's memory of states seen ("Testing for linearizability", 2017). The store times in the answers order
 * most operations. Only releases, equal times and unanswered calls branch.
 *
 * Limits. The key must be new at the first operation. A release does not show when it was served: it is tried as early
 * as it may be, and as late. An unanswered reservation on an idle key is tried at the times that other answers give a
 * reason for. Answers that rounding may decide either way are accepted both ways. With a hybrid clock, answers that
 * change nothing are checked with less force (`clockErrorMs`).
 * @param operations the operations of one key, as {@link permitOperations} finds them
 * @param options how exact the store's clock is
 * @example const order = checkPermitHistory(permitOperations(history, "mail"));
 */
export function checkPermitHistory(
  operations: readonly PermitOperation[],
  options: LinearizabilityOptions = {},
): LinearizabilityVerdict {
  const run = check(operations, options);
  for (;;) {
    const { done, value } = run.next();
    if (done) return value;
  }
}

/** The same in portions, so that others can go on meanwhile: `pause` is awaited after every few steps. */
export async function checkInPortions(
  operations: readonly PermitOperation[],
  options: LinearizabilityOptions,
  pause: () => Promise<void>,
): Promise<LinearizabilityVerdict> {
  const run = check(operations, options);
  for (;;) {
    const { done, value } = run.next();
    if (done) return value;
    await pause();
  }
}

type Search = Generator<undefined, LinearizabilityVerdict, undefined>;

function* check(operations: readonly PermitOperation[], options: LinearizabilityOptions): Search {
  const { clockErrorMs = 0, maxSteps = 1_000_000 } = options;
  // Most histories of a hybrid clock are in the order of their times, too, which is found at once.
  const strict = yield* search(operations, 0, maxSteps);
  if (clockErrorMs === 0 || strict.verdict === "linearizable") return strict;
  return yield* search(operations, clockErrorMs, maxSteps);
}

function* search(operations: readonly PermitOperation[], clockErrorMs: number, maxSteps: number): Search {
  const answered = operations.flatMap(({ endMs }, index) => (endMs === undefined ? [] : [index]));
  const seen = new Set<string>();
  const stack: Node[] = [{ table: new State(), order: [] }];
  let longest = stack[0] as Node;
  for (let steps = 0; stack.length > 0; steps++) {
    if (steps >= maxSteps) return { verdict: "undecided", steps };
    if (steps % PORTION === PORTION - 1) yield;
    const node = stack.pop() as Node;
    const done = new Set(node.order);
    const state = `${bits(done, operations.length)} ${node.table.fingerprint()}`;
    if (seen.has(state)) continue;
    seen.add(state);
    if (answered.every((index) => done.has(index))) return { verdict: "linearizable", order: node.order };
    if (node.order.length > longest.order.length) longest = node;
    // The last one pushed is tried first: the one that was served first by the answers' times.
    for (const { index, after } of successors(operations, done, node.table, clockErrorMs).reverse())
      stack.push({ table: after, order: [...node.order, index] });
  }
  const explanation = explain(operations, new Set(longest.order), longest.table, clockErrorMs);
  return { verdict: "not linearizable", order: longest.order, explanation };
}

/** The set as text of one bit for each operation. */
function bits(done: ReadonlySet<number>, count: number): string {
  let text = "";
  for (let from = 0; from < count; from += 16) {
    let word = 0;
    for (let i = from; i < Math.min(from + 16, count); i++) if (done.has(i)) word |= 1 << (i - from);
    text += String.fromCharCode(word);
  }
  return text;
}

/** Operations that are explained; the first are those that the answers' times put next. */
const SHOWN = 3;

/** Why no operation can come next: what each of those that could should have been answered. */
function explain(
  operations: readonly PermitOperation[],
  done: ReadonlySet<number>,
  table: PlainPermitTable,
  clockErrorMs: number,
): string {
  const lastMs = table.row()?.lastMs ?? 0;
  const lines = candidates(operations, done).flatMap((index) => {
    const operation = operations[index] as PermitOperation;
    const answer = answerOf(operation);
    if (operation.call !== "reserve" || !answer) return [];
    const what = `reserve ${JSON.stringify(operation.request.id)} (sent at ${operation.startMs.toFixed(1)} ms)`;
    if (answer.storeTimeMs < lastMs - clockErrorMs)
      return [`${what} was answered at store time ${answer.storeTimeMs}, and the key's time was ${lastMs} by then`];
    const followed = followReserve(table, operation.request, answer);
    if ("after" in followed) return [`${what} fits, but nothing that can follow it does`];
    return [`${what}\n  should be: ${printReservation(followed.expected)}\n  was:       ${printReservation(answer)}`];
  });
  return `after ${done.size} of ${operations.length} operations in order, the next one cannot be explained\n${lines.slice(0, SHOWN).join("\n")}`;
}
