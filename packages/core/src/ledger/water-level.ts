import { dueOf } from "./entitlement.ts";
import type { GroupRow } from "./table.ts";

/** How a capacity is divided by what members want (R21). */
export interface WaterLevel {
  /** True when they want more than there is. */
  readonly scarce: boolean;
  /** The most that a member is due: the max-min level where tokens are scarce, otherwise the capacity. */
  readonly level: number;
  /** The least that each is due, whether it wants it or not. */
  readonly reserve: number;
  /** What each gets on top where there is plenty. */
  readonly extra: number;
  /** Tokens kept free for members that hold nothing. */
  readonly float: number;
  /** What is left where there is plenty. */
  readonly spare: number;
  /** Tokens that are left over above the level, and how many members want one of them. */
  readonly odd: number;
  readonly takers: number;
}

/** The part of a capacity that is kept for members that want nothing just now: a fiftieth. */
const KEPT_PART = 50;

/**
 * The level by one scan of the counts (DESIGN-demand, "The store"). Members that share evenly get their even part
 * first. O(different wants).
 */
export function waterLevel(row: Pick<GroupRow, "capacity" | "poolSize" | "wants">): WaterLevel {
  const { capacity, poolSize } = row;
  const wants = row.wants ?? [];
  const keep = Math.floor(capacity / KEPT_PART);
  const reserve = Math.floor(keep / poolSize);
  const idle = wants[0]?.[0] === 0 ? wants[0][1] : 0;
  const float = reserve > 0 ? 0 : Math.min(keep, idle);
  const counted = wants.reduce((sum, [, members]) => sum + members, 0);
  const parts = capacity - float - Math.max(0, poolSize - counted) * dueOf(row).sure;
  const dueTo = (want: number): number => Math.max(reserve, Math.min(capacity, want));
  let [below, takers] = [0, counted];
  for (const [want, members] of wants) {
    const due = dueTo(want);
    if (below + takers * due > parts) {
      const level = Math.floor((parts - below) / takers);
      const odd = parts - below - takers * level;
      return { scarce: true, level, reserve, extra: 0, float, spare: 0, odd, takers };
    }
    below += members * due;
    takers -= members;
  }
  const spare = parts - below;
  const extra = extraOf(spare, poolSize);
  return { scarce: false, level: capacity, reserve, extra, float, spare, odd: 0, takers: 0 };
}

/**
 * One half is handed out, the other stays free for whoever wants more next: nobody, where one member is alone. One
 * token for each, if there are so many: whoever only looks whether a token is there would find none.
 */
function extraOf(spare: number, poolSize: number): number {
  if (poolSize === 1) return spare;
  return Math.max(Math.floor(Math.floor(spare / 2) / poolSize), spare >= poolSize ? 1 : 0);
}

/** What a member is due that wants this much, without what it gets on top (R22). */
export function needOf({ level, reserve }: Pick<WaterLevel, "level" | "reserve">, want: number): number {
  return Math.min(Math.max(want, reserve), level);
}
