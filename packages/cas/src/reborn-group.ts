import type { GroupRow } from "@dt/core/ledger";
import { LONGEST_LAG_MS } from "./head.ts";

/** What is known of a ledger that is lost, or cannot be relied upon, from whatever is left of it. */
export interface Remains {
  /** The largest generation that is named anywhere; 0 when none is. */
  readonly generation: number;
  /** 0 when it is not known. */
  readonly intervalMs: number;
  /** The largest stale age that is named anywhere; 0 when none is. */
  readonly staleAfterMs: number;
}

/**
 * A group that takes the place of one whose ledger is lost. It has no members. None is raised until every former member
 * has claimed the tokens it uses or has lost them. For that long, shares of the old ledger may be in use that are on
 * record nowhere. It is a stale age, and the most by which a member's clock may be ahead of this one. The stale ages of
 * members that register count, too (R8), since the rest of the old ledger may name none.
 */
export function rebornGroup({ generation, intervalMs, staleAfterMs }: Remains, nowMs: number): GroupRow {
  return {
    generation: Math.max(generation + 1, Math.floor(nowMs)),
    ...{ memberCount: 0, held: 0, adopted: 0, capacity: 0, largestMemberCount: 0 },
    intervalMs,
    createdAtMs: nowMs,
    learnFromMs: nowMs + LONGEST_LAG_MS,
    learnUntilMs: nowMs + LONGEST_LAG_MS + staleAfterMs,
    lastMs: nowMs,
    offsetMs: 0,
    lapsedMs: 0,
    quietLimitMs: staleAfterMs / 4,
    longestStaleMs: staleAfterMs,
    clockErrorMs: 0,
    aheadUntilMs: 0,
    repairs: 1,
    ...{ freedEpoch: null, spent: 0, wants: [], hungryMs: null, pausedUntilMs: 0, stored: null },
  };
}
