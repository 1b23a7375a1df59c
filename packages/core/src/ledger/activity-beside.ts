import { MOST_TOKENS } from "./bounds.ts";
import type { StoredRow } from "./rows.ts";
import type { MemberRow } from "./table.ts";

/**
 * What a member does is stored beside its row, as what it wants is: versions before R27 do not look there. It is no
 * part of the same list, since they take a list of another length for nothing at all.
 */
export function activityBeside({ activity }: Pick<MemberRow, "activity">): StoredRow | undefined {
  return activity ? [activity.used, activity.waiting] : undefined;
}

/** The row with what stands beside it. What cannot be right there counts as nothing. */
export function withActivity<Row extends object>(row: Row, stored: unknown): Row & Pick<MemberRow, "activity"> {
  const [used, waiting] = Array.isArray(stored) && stored.length === 2 ? (stored as unknown[]) : [];
  return { ...row, activity: isTokens(used) && isTokens(waiting) ? { used, waiting } : null };
}

function isTokens(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TOKENS;
}
