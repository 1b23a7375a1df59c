import { newestEpoch } from "./freed.ts";
import type { GroupRow, MemberRow } from "./table.ts";
import { divide, fairOf, needOf, takesTurns } from "./water-level.ts";

/** What a member may use, and from when (R19, R20). */
export interface Entitlement {
  /** Tokens that it may use in every epoch. */
  readonly entitled: number;
  /** The first epoch in which it may use all of what it did not use before. */
  readonly fromEpoch: number;
}

/**
 * The rows must say already what the member was given. One that shares by demand may use all that it holds, unless more
 * is held than there is (R24). One that shares evenly may use the fair part; where it takes turns, what it needs and
 * the token of its turn.
 */
export function entitlementOf(
  row: GroupRow,
  member: Pick<MemberRow, "held" | "want" | "odd" | "restUntilMs">,
): Entitlement {
  const fromEpoch = (row.freedEpoch ?? newestEpoch(row)) + 1;
  const { held, want, odd, restUntilMs } = member;
  if (row.held > row.capacity) return { entitled: Math.min(held, fairOf(row).fair), fromEpoch };
  if (want !== null) return { entitled: held, fromEpoch };
  const part = takesTurns(row) ? needOf(divide(row), 1) + (odd && row.lastMs < restUntilMs ? 1 : 0) : fairOf(row).fair;
  return { entitled: Math.min(held, part), fromEpoch };
}
