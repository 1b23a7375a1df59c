import type { PlainPermitTable } from "../permits/plain-permit-table.ts";
import { printReservation } from "../permits/print-reservation.ts";
import { followReserve } from "../permits/specification.ts";
import type { PermitOperation } from "./operation.ts";
import { answerOf, candidates } from "./successors.ts";

/** Operations that are explained; the first are those that the answers' times put next. */
const SHOWN = 3;

/** Why no operation can come next: what each of those that could should have been answered. */
export function explain(
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
