import type { StoredRow } from "./rows.ts";
import type { GroupRow, MemberRow, RecordedGroup, RecordedMember } from "./table.ts";
import type { WantCount } from "./wants.ts";

/**
 * What rows say of demand is stored beside them, as {@link freedBeside} is: versions before R21 do not look there. They
 * change no want, but add and remove members. So the counts name the generation that they belong to, and beside another
 * one they count as not known.
 */
export function wantsBeside({ generation, hungryMs, wants }: GroupRow): StoredRow | undefined {
  return wants === null ? undefined : [generation, hungryMs, ...wants.flat()];
}

type GroupWants = Pick<GroupRow, "wants" | "hungryMs">;

/** The row with the counts of what stands beside it; null where nothing does that belongs to it. */
export function withWants<Row extends RecordedGroup>(row: Row, stored: unknown): Row & GroupWants {
  const none = { ...row, wants: null, hungryMs: null };
  if (!Array.isArray(stored) || stored[0] !== row.generation || stored.length % 2 !== 0) return none;
  const [, hungryMs, ...flat] = stored as unknown[];
  if (hungryMs !== null && !isTime(hungryMs)) return none;
  const wants: WantCount[] = [];
  let last = -1;
  for (let at = 0; at < flat.length; at += 2) {
    const [want, members] = [flat[at], flat[at + 1]];
    if (!isCount(want) || !isCount(members) || members === 0 || want <= last) return none;
    wants.push([want, members]);
    last = want;
  }
  return { ...row, wants, hungryMs };
}

/** What a member's row says of its demand, and of what it does just now. */
export type MemberBeside = Omit<MemberRow, keyof RecordedMember>;

/** Of a member that shares evenly, of which nothing more is known. */
export const NOTHING_BESIDE: MemberBeside = {
  want: null,
  odd: false,
  gaveUpMs: 0,
  restUntilMs: 0,
  used: null,
  waiting: null,
};

/** What is stored beside a member's row. */
export function memberBeside({ want, odd, gaveUpMs, restUntilMs, used, waiting }: MemberBeside): StoredRow {
  return [want, odd ? 1 : 0, gaveUpMs, restUntilMs, used, waiting];
}

/** The whole row, of its stored part and what stands beside it. What cannot be right there counts as nothing. */
export function withBeside(row: RecordedMember, stored: unknown): MemberRow {
  if (!Array.isArray(stored) || stored.length !== 6) return { ...row, ...NOTHING_BESIDE };
  const [want, odd, gaveUpMs, restUntilMs, used, waiting] = stored as unknown[];
  const counts = [want, used, waiting];
  if (!counts.every((value) => value === null || isCount(value)) || !isTime(gaveUpMs) || !isTime(restUntilMs))
    return { ...row, ...NOTHING_BESIDE };
  const [known, charged, line] = counts as (number | null)[];
  const beside = { want: known ?? null, used: charged ?? null, waiting: line ?? null };
  return { ...row, ...beside, odd: odd === 1, gaveUpMs, restUntilMs };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
