import { malformed } from "./row-codec.ts";

/**
 * What every heartbeat reads, whatever the number of members: a few numbers about the group. Written with the ledger when they change, and
 * by itself when the time in it gets old.
 */
export interface Head {
  readonly generation: number;
  /** True when every member has adopted the generation and nothing is being learned. */
  readonly agreed: boolean;
  readonly poolSize: number;
  /** Group time when this was written: what keeps the clients' clocks together. */
  readonly timeMs: number;
  /** The client that keeps the time fresh and looks for dead members. */
  readonly keeper: string;
  /** Group time at which the keeper last did so. */
  readonly keptMs: number;
  /** As in the group's row. */
  readonly intervalMs: number;
  readonly quietLimitMs: number;
}

/** The longest that the time in a head may be behind the group time of an answer, whatever the stale age. */
const LONGEST_LAG_MS = 1_250;

/** The most that the time in a head may be behind the group time of any answer: an eighth of the stale age, at most 1.25 s. */
export function lagLimitMs(head: Pick<Head, "quietLimitMs">): number {
  return Math.min(head.quietLimitMs / 2, LONGEST_LAG_MS);
}

/** A keeper that was not heard of for this long is replaced: a quarter of the stale age. */
export function keeperLimitMs(head: Pick<Head, "quietLimitMs">): number {
  return head.quietLimitMs;
}

/**
 * Checks what was stored as a head.
 * @throws DtError `DT_STORE_REPLY`
 */
export function checkHead(stored: Readonly<Record<string, unknown>>, where: string): Head {
  const { generation, agreed, poolSize, timeMs, keeper, keptMs, intervalMs, quietLimitMs } = stored;
  for (const field of [generation, poolSize, timeMs, keptMs, intervalMs, quietLimitMs])
    if (typeof field !== "number" || !Number.isFinite(field) || field < 0)
      throw malformed(where, `${JSON.stringify(field)} where a number >= 0 belongs`);
  if (typeof agreed !== "boolean" || typeof keeper !== "string") throw malformed(where, "no head of a group");
  return { agreed, keeper, generation, poolSize, timeMs, keptMs, intervalMs, quietLimitMs } as Head;
}

/** True when both say the same about the ledger, whatever they say about the time. */
export function sameLedger(a: Head, b: Head): boolean {
  return (
    a.generation === b.generation &&
    a.agreed === b.agreed &&
    a.poolSize === b.poolSize &&
    a.intervalMs === b.intervalMs &&
    a.quietLimitMs === b.quietLimitMs
  );
}
