import type { GroupSnapshot, MemberSnapshot } from "@dt/core";
import { number, optionalNumber, texts, unexpectedReply } from "./field.ts";
import { refuseData } from "./refused-data.ts";

/**
 * The snapshot in a reply of `inspect.lua`.
 * @throws DtError `DT_STORE_REPLY`, `DT_STORE_DATA`
 */
export function parseSnapshot(reply: unknown, group: string): GroupSnapshot {
  refuseData(reply);
  if (!Array.isArray(reply) || reply.length === 0) throw unexpectedReply(reply, "a snapshot");
  const [groupRow, ...memberRows] = reply as readonly unknown[];
  const [generation, capacity, poolSize, adopted, held, interval, storeTime, groupAge, learning] = texts(groupRow, 9);
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
    learning: learning === "1",
    members: memberRows.map(parseMember).sort((a, b) => a.rank - b.rank),
  };
}

function parseMember(row: unknown): MemberSnapshot {
  const [id, incarnation, rank, generation, poolSize, held, max, level, silent, fenced, want, used, waiting] = texts(
    row,
    13,
  );
  return {
    id: id as string,
    incarnation: incarnation as string,
    rank: number(rank),
    generation: number(generation),
    poolSize: number(poolSize),
    held: number(held),
    max: number(max),
    level: optionalNumber(level),
    silentMs: number(silent),
    fenced: fenced === "1",
    ...(want !== "" && { want: number(want) }),
    ...(used !== "" && { used: number(used), waiting: number(waiting) }),
  };
}
