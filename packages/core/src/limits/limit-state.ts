import type { LimitRecordHead } from "./limit-row.ts";

/**
 * The state of a record at a time (L3): its revision while its values count, the negative one once they were removed or
 * their time is over, and 0 where there is no record.
 */
export function limitStateOf(head: LimitRecordHead | undefined, clockMs: number): number {
  if (!head) return 0;
  const isOver = head.values === null || (head.untilMs !== null && clockMs >= head.untilMs);
  return isOver ? -head.revision : head.revision;
}
