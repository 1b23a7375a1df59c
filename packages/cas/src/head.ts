import { checkRow, type RowFormat } from "@dt/core/ledger";
import { checkTag, TAG } from "./row-codec.ts";

/**
 * What every heartbeat reads, whatever the number of members: a few numbers about the group. Written with the ledger
 * when they change, and by itself when the time in it gets old.
 */
export interface Head {
  /** The birth of the ledger that it was written for: a head of another one is not about this one. */
  readonly birth: string;
  readonly generation: number;
  /** True when every member has adopted the generation and nothing is being learned. */
  readonly agreed: boolean;
  readonly memberCount: number;
  /** Group time when this was written: what keeps the clients' clocks together. */
  readonly timeMs: number;
  /** The client that keeps the time fresh and looks for dead members. */
  readonly keeper: string;
  /** Group time at which the keeper last did so. */
  readonly keptMs: number;
  /** As in the group's row. */
  readonly intervalMs: number;
  readonly quietLimitMs: number;
  /**
   * The largest stale age of a member: how long a share may be in use that is on record nowhere, should the ledger be
   * lost.
   */
  readonly staleAfterMs: number;
  /** As in the group's row (R35). */
  readonly pausedUntilMs: number;
}

const HEAD: RowFormat<Head> = {
  version: 1,
  fields: [
    ["birth", "name"],
    ["generation", "count"],
    ["agreed", "flag"],
    ["memberCount", "count"],
    ["timeMs", "time"],
    ["keeper", "text"],
    ["keptMs", "time"],
    ["intervalMs", "time"],
    ["quietLimitMs", "time"],
    ["staleAfterMs", "time"],
    ["pausedUntilMs", "time"],
  ],
};

/** The longest that the time in a head may be behind the group time of an answer, whatever the stale age. */
export const LONGEST_LAG_MS = 1_250;

/**
 * The most that the time in a head may be behind the group time of any answer: an eighth of the stale age, at most 1.25
 * s.
 */
export function lagLimitMs(head: Pick<Head, "quietLimitMs">): number {
  return Math.min(head.quietLimitMs / 2, LONGEST_LAG_MS);
}

/** A keeper that was silent for this long is replaced: a quarter of the stale age. */
export function keeperLimitMs(head: Pick<Head, "quietLimitMs">): number {
  return head.quietLimitMs;
}

/** A head as it is stored: by the names of its fields, and with the version of its format. */
export function encodeHead(head: Head): Head & { readonly v: string } {
  return { v: TAG, ...head };
}

/**
 * Checks what was stored as a head.
 * @throws DtError `DT_STORE_DATA`
 */
export function decodeHead(stored: Readonly<Record<string, unknown>>, where: string): Head {
  const { v: tag } = stored;
  checkTag(tag, where);
  return checkRow(HEAD, stored, where);
}

/** True when both agree about the ledger, whatever their times are. */
export function sameLedger(a: Head, b: Head): boolean {
  return (
    a.birth === b.birth &&
    a.generation === b.generation &&
    a.agreed === b.agreed &&
    a.memberCount === b.memberCount &&
    a.intervalMs === b.intervalMs &&
    a.quietLimitMs === b.quietLimitMs &&
    a.staleAfterMs === b.staleAfterMs &&
    a.pausedUntilMs === b.pausedUntilMs
  );
}
