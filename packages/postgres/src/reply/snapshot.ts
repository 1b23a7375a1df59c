import type { GroupSnapshot, MemberSnapshot } from "@dt/core";
import { boolean, type Field, number, optionalNumber, rowsOf, text, unexpectedReply } from "./field.ts";

/** Columns of `dt_inspect`: those of the group, then those of the member. */
const GROUP_WIDTH = 9;
const WIDTH = 22;

/**
 * The snapshot in an answer of `dt_inspect`.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseSnapshot(reply: unknown, group: string): GroupSnapshot {
  const rows = rowsOf(reply, WIDTH);
  const [first] = rows;
  if (!first) throw unexpectedReply(reply, "at least one row");
  const [storeTime, generation, capacity, poolSize, adopted, held, interval, groupAge, learning] = first;
  if (generation === null) return { ...NO_GROUP, group, storeTimeMs: number(storeTime) };
  return {
    group,
    generation: number(generation),
    capacity: number(capacity),
    poolSize: number(poolSize),
    adopted: number(adopted),
    held: number(held),
    intervalMs: number(interval),
    storeTimeMs: number(storeTime),
    groupAgeMs: number(groupAge),
    learning: boolean(learning),
    members: rows.map((row) => row.slice(GROUP_WIDTH)).flatMap((row) => (row[0] === null ? [] : [parseMember(row)])),
  };
}

const NO_GROUP = {
  generation: 0,
  capacity: 0,
  poolSize: 0,
  adopted: 0,
  held: 0,
  intervalMs: 0,
  groupAgeMs: 0,
  learning: false,
  members: [],
};

function parseMember(row: readonly Field[]): MemberSnapshot {
  const [id, incarnation, rank, generation, poolSize, held, max, level, silent, fenced, want, used, waiting] = row;
  return {
    id: text(id),
    incarnation: text(incarnation),
    rank: number(rank),
    generation: number(generation),
    poolSize: number(poolSize),
    held: number(held),
    max: number(max),
    level: optionalNumber(level),
    silentMs: number(silent),
    fenced: boolean(fenced),
    ...(want !== null && { want: number(want) }),
    ...(used !== null && waiting !== null && { used: number(used), waiting: number(waiting) }),
  };
}
