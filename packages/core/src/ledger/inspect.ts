import type { GroupSnapshot } from "../contract/inspect-and-repair.ts";
import { advanceClock, isLearning } from "./group-clock.ts";
import { pausedForMs } from "./pause.ts";
import type { LedgerTable } from "./table.ts";

/** The ledger as data. Reads only. */
export function inspect(table: LedgerTable, group: string, clockMs: number): GroupSnapshot {
  const stored = table.group();
  const row = stored ? { ...stored } : undefined;
  // A quiet stretch up to now removes no member earlier, and all the same each of them was silent in it: where all
  // processes of a group were killed at once, it is all that tells of it.
  const lapsedMs = row?.lapsedMs ?? 0;
  const nowMs = row ? advanceClock(row, clockMs) : clockMs;
  const pauseMs = row ? pausedForMs(row) : 0;
  return {
    group,
    generation: row?.generation ?? 0,
    capacity: row?.capacity ?? 0,
    ...(row?.stored && { stored: row.stored }),
    memberCount: row?.memberCount ?? 0,
    adopted: row?.adopted ?? 0,
    held: row?.held ?? 0,
    intervalMs: row?.intervalMs ?? 0,
    storeTimeMs: nowMs,
    groupAgeMs: row ? nowMs - row.createdAtMs : 0,
    learning: row ? isLearning(row) : false,
    ...(pauseMs > 0 && { pausedForMs: pauseMs }),
    members: table.members().map((member) => ({
      id: member.id,
      incarnation: member.incarnation,
      rank: member.rank,
      generation: member.generation,
      memberCount: member.memberCount,
      held: member.held,
      max: member.max,
      level: member.level,
      silentMs: row ? Math.max(0, row.lastMs - lapsedMs - (member.expiresAtMs - member.staleAfterMs)) : 0,
      fenced: member.standing === "fenced",
      ...(member.want !== null && { want: member.want }),
      ...member.activity,
    })),
  };
}
