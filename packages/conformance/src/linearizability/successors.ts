import { followRelease, followReserve } from "../permits/specification.ts";
import type { PermitOperation, ReserveOperation } from "./operation.ts";
import type { State } from "./state.ts";
import { unansweredTimes } from "./unanswered.ts";

/** An operation that may have taken effect next, with the state after it. */
export interface Successor {
  readonly index: number;
  readonly after: State;
}

/**
 * Operations that may come next: not yet done, and no other one not yet done ended before they started. In the order of
 * the answers' times.
 */
export function candidates(operations: readonly PermitOperation[], done: ReadonlySet<number>): number[] {
  let firstEndMs = Number.POSITIVE_INFINITY;
  for (const [index, { endMs }] of operations.entries())
    if (endMs !== undefined && !done.has(index)) firstEndMs = Math.min(firstEndMs, endMs);
  const open = operations.flatMap(({ startMs }, index) => (!done.has(index) && startMs <= firstEndMs ? [index] : []));
  const timeOf = (index: number): number => answerOf(operations[index])?.storeTimeMs ?? Number.POSITIVE_INFINITY;
  return open.sort((a, b) => timeOf(a) - timeOf(b));
}

/** Every way on from a state that agrees with the answers. */
export function successors(
  operations: readonly PermitOperation[],
  done: ReadonlySet<number>,
  table: State,
  clockErrorMs: number,
): Successor[] {
  const open = candidates(operations, done);
  // Times among the answers never go back, so that nobody comes before one whose time is earlier; and no release later
  // than the next answer.
  let nextMs: number | undefined;
  for (const [index, operation] of operations.entries()) {
    const answer = done.has(index) ? undefined : answerOf(operation);
    if (answer && answer.storeTimeMs < (nextMs ?? Number.POSITIVE_INFINITY)) nextMs = answer.storeTimeMs;
  }
  return open.flatMap((index) => {
    const operation = operations[index] as PermitOperation;
    return after(operations, operation, table, nextMs, clockErrorMs).map((state) => ({ index, after: state }));
  });
}

function after(
  operations: readonly PermitOperation[],
  operation: PermitOperation,
  table: State,
  nextMs: number | undefined,
  clockErrorMs: number,
): State[] {
  const lastMs = table.row()?.lastMs ?? 0;
  if (operation.call === "release") return released(table, operation.release, lastMs, nextMs ?? lastMs);
  if (operation.endMs === undefined) return unansweredTimes(operations, operation, table, nextMs);
  const answer = answerOf(operation);
  if (!answer) return [];
  const { queueMs, pauseMs = 0, id } = operation.request;
  const changesNothing = pauseMs === 0 && ((answer.granted === 0 && queueMs === 0) || table.entry(id) !== undefined);
  const aheadMs = answer.storeTimeMs - (nextMs ?? answer.storeTimeMs);
  if (aheadMs > (changesNothing ? clockErrorMs : 0)) return [];
  const followed = followReserve(table, operation.request, answer);
  if ("expected" in followed) return [];
  if (clockErrorMs === 0 || !changesNothing) return [followed.after];
  // The store need not have recorded it.
  const row = table.row();
  return row ? [withRow(followed.after, { ...row })] : [followed.after];
}

/** A release at the earliest and at the latest; and without effect when the reservation may be forgotten by then. */
function released(
  table: State,
  release: Parameters<typeof followRelease>[1],
  lastMs: number,
  latestMs: number,
): State[] {
  const states = [followRelease(table, release, lastMs)];
  if (latestMs > lastMs) states.push(followRelease(table, release, latestMs));
  const entry = table.entry(release.id);
  if (entry && entry.forgetAtMs <= latestMs) {
    const forgotten = table.clone();
    forgotten.leaveQueue(release.id);
    states.push(forgotten);
  }
  return states;
}

function withRow(table: State, row: NonNullable<ReturnType<State["row"]>>): State {
  table.putRow(row);
  return table;
}

/** The answer of a reservation that was answered. */
export function answerOf(operation: PermitOperation | undefined): ReserveOperation["answer"] {
  return operation?.call === "reserve" ? operation.answer : undefined;
}
