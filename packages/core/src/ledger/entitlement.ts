import { newestEpoch } from "./freed.ts";
import type { GroupRow, MemberRow } from "./table.ts";

/** What each member is due of its group's capacity. */
export interface Due {
  /** Without agreement: an even part, without remainder. */
  readonly sure: number;
  /** The most with agreement: it may own a token of the remainder. */
  readonly most: number;
}

/** How a capacity is divided. Nobody else divides it: processors and stores go by what follows from this. */
export function dueOf({ capacity, poolSize }: Pick<GroupRow, "capacity" | "poolSize">): Due {
  return { sure: Math.floor(capacity / poolSize), most: Math.ceil(capacity / poolSize) };
}

/** What a member may use, and from when (R19, R20). */
export interface Entitlement {
  /** Tokens that it may use in every epoch. */
  readonly entitled: number;
  /** The first epoch in which it may use all of what it did not use before. */
  readonly fromEpoch: number;
}

/**
 * The rows must say already what the member was given. One that shares by demand may use all that it holds, unless more
 * is held than there is (R24).
 */
export function entitlementOf(row: GroupRow, { held, want }: Pick<MemberRow, "held" | "want">): Entitlement {
  const isOver = row.held > row.capacity;
  return {
    entitled: want === null || isOver ? Math.min(held, dueOf(row).sure) : held,
    fromEpoch: (row.freedEpoch ?? newestEpoch(row)) + 1,
  };
}
