import type { MemberView, View } from "@dt/core";
import { advanceClock, fairOf, firstSafeEpoch, type GroupRow, groupClockError, type MemberRow } from "@dt/core/ledger";
import { isMember } from "@dt-tooling/simulator/requests";
import type { Operation } from "./flaw.ts";
import type { PlainTable } from "./plain-table.ts";

/** Writes over parts of a group's row, if there is one. */
export function patchGroup(table: PlainTable, change: (row: GroupRow) => Partial<GroupRow>): void {
  const row = table.group();
  if (row) table.putGroup({ ...row, ...change(row) });
}

/** Writes over parts of a member's row, if it is there. */
export function patchMember(table: PlainTable, incarnation: string, change: Partial<MemberRow>): void {
  const row = table.member(incarnation);
  if (row) table.putMember({ ...row, ...change });
}

/**
 * Writes over parts of an answer to a member. What it is entitled to follows, as in a store that has no other fault.
 */
export function patchView(view: View, change: (view: MemberView) => Partial<MemberView>): View {
  if (!isMember(view)) return view;
  const changed = { ...view, ...change(view) };
  return { ...changed, entitled: Math.min(changed.held, fairOf({ ...changed, memberCount: changed.members }).fair) };
}

/** Writes over times of an answer to a member. It may use what it is given no later than that allows. */
export function patchTimes(
  table: PlainTable,
  view: View,
  change: (view: MemberView) => Partial<Pick<MemberView, "storeTimeMs" | "clockErrorMs">>,
): View {
  if (!isMember(view)) return view;
  const changed = { ...view, ...change(view) };
  const intervalMs = table.group()?.intervalMs ?? 0;
  const latest = firstSafeEpoch(changed.storeTimeMs, changed.clockErrorMs, intervalMs);
  return { ...changed, fromEpoch: Math.min(view.fromEpoch, latest) };
}

/** The newest epoch that anybody may have begun, by what an operation shows of the time. */
export function newestEpoch({ table, nowMs, request }: Operation<{ readonly observedMs?: number }>): number {
  const row = table.group() as GroupRow;
  advanceClock(row, nowMs, request.observedMs);
  return firstSafeEpoch(row.lastMs, groupClockError(row), row.intervalMs) - 1;
}

/** Puts the generation back to what it was, and with it who had adopted it. */
export function restoreGeneration(table: PlainTable, before: GroupRow | undefined): void {
  if (!before) return;
  patchGroup(table, () => ({
    generation: before.generation,
    adopted: table.members().filter((member) => member.generation === before.generation).length,
  }));
}

/** Sets what a member holds, in its row and in the group's sum. */
export function setHeld(table: PlainTable, incarnation: string, held: number): void {
  const member = table.member(incarnation);
  if (!member) return;
  patchGroup(table, (row) => ({ held: row.held - member.held + held }));
  table.putMember({ ...member, held });
}
