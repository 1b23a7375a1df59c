import type { PermitState } from "./memory-permit-table.ts";
import { TERMS_HOLD_MS } from "./terms-hold.ts";

/**
 * How long from now a key means something, in milliseconds of its own time: until its last instant and its pause are
 * past, its terms and its stored limit do not bind any more, and every entry and place in the queue is forgotten.
 */
export function meaningfulForMs({ row, entries, queue }: PermitState): number {
  if (!row) return 0;
  const boundMs = row.terms === undefined && !row.stored ? 0 : Math.max(row.tatMs, row.lastMs) + TERMS_HOLD_MS;
  const untilMs = [
    boundMs,
    row.tatMs,
    row.pausedUntilMs ?? 0,
    ...entries.map(({ forgetAtMs }) => forgetAtMs),
    ...queue.map(([, until]) => until),
  ];
  return Math.max(0, untilMs.reduce((latest, ms) => Math.max(latest, ms), 0) - row.lastMs);
}
