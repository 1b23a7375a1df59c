import type { StoredRow } from "./rows.ts";
import type { GroupRow, MemberRow, RecordedGroup } from "./table.ts";
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

/** What a member's row says of its demand. */
export type MemberBeside = Pick<MemberRow, "want" | "odd" | "gaveUpMs" | "restUntilMs">;

/** Of a member that shares evenly, and takes no turns. */
export const NOTHING_BESIDE: MemberBeside = { want: null, odd: false, gaveUpMs: 0, restUntilMs: 0 };

/** What is stored beside a member's row; nothing for one that shares evenly, and has no turn to remember. */
export function memberBeside({ want, odd, gaveUpMs, restUntilMs }: MemberBeside): StoredRow | undefined {
  const isNothing = want === null && !odd && gaveUpMs === 0 && restUntilMs === 0;
  return isNothing ? undefined : [want, odd ? 1 : 0, gaveUpMs, restUntilMs];
}

/** The row with what stands beside it. What cannot be right there counts as nothing. */
export function withBeside<Row extends object>(row: Row, stored: unknown): Row & MemberBeside {
  const none = { ...row, ...NOTHING_BESIDE };
  if (!Array.isArray(stored) || stored.length !== 4) return none;
  const [want, odd, gaveUpMs, restUntilMs] = stored as unknown[];
  if (!(want === null || isCount(want)) || !isTime(gaveUpMs) || !isTime(restUntilMs)) return none;
  return { ...row, want, odd: odd === 1, gaveUpMs, restUntilMs };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
