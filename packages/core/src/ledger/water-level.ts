import type { GroupRow, MemberRow } from "./table.ts";
import { counted } from "./wants.ts";

/** The even part of a member of its group's capacity. */
export interface Fair {
  /** Without agreement: the fair part, without the remainder. */
  readonly fair: number;
  /** The most with agreement: it may own a token of the remainder. */
  readonly most: number;
}

/** How a capacity is divided. Nobody else divides it: members and stores go by what follows from this. */
export function fairOf({ capacity, memberCount }: Pick<GroupRow, "capacity" | "memberCount">): Fair {
  return { fair: Math.floor(capacity / memberCount), most: Math.ceil(capacity / memberCount) };
}

/** How a capacity is divided by what members want (R21). */
export interface Division {
  /** True when they want more than there is. */
  readonly scarce: boolean;
  /** The most that a member is due: the max-min water level where tokens are scarce, otherwise the capacity. */
  readonly waterLevel: number;
  /** The least that each is due, whether it wants it or not. */
  readonly reserve: number;
  /** What each gets on top where there is plenty. */
  readonly extra: number;
  /** Tokens kept free for members that hold nothing. */
  readonly float: number;
  /** What is left where there is plenty. */
  readonly spare: number;
  /** Tokens that are left over above the water level, and how many members want one of them. */
  readonly odd: number;
  readonly takers: number;
}

/** The part of a capacity that is kept for members that want nothing just now: a fiftieth. */
const KEPT_PART = 50;

/** What a group's row says of how its capacity is divided. */
type Divided = Pick<GroupRow, "capacity" | "memberCount" | "wants">;

/**
 * True where members that share evenly take turns like the others, since their fair part is 0: beside members that
 * share by demand nobody agrees, and so nobody has a turn in the exact split.
 */
export function takesTurns({ capacity, memberCount, wants }: Divided): boolean {
  return capacity < memberCount && wants.length > 0;
}

/** What a member counts as wanting; null for one that has the fair part, without turns. */
export function countedWant(row: Divided, { want }: Pick<MemberRow, "want">): number | null {
  return want ?? (takesTurns(row) ? 1 : null);
}

/**
 * The water level by one scan of the counts (R21). Members that share evenly get their fair part first; where that is
 * 0, each counts as wanting 1. O(different wants).
 */
export function divide(row: Divided): Division {
  const { capacity, memberCount } = row;
  const demanding = row.wants.reduce((sum, [, members]) => sum + members, 0);
  const even = Math.max(0, memberCount - demanding);
  const wants = even > 0 && takesTurns(row) ? counted(row.wants, 1, even) : row.wants;
  const keep = Math.floor(capacity / KEPT_PART);
  const reserve = Math.floor(keep / memberCount);
  const idle = wants[0]?.[0] === 0 ? wants[0][1] : 0;
  const float = reserve > 0 ? 0 : Math.min(keep, idle);
  const parts = capacity - float - even * fairOf(row).fair;
  const dueTo = (want: number): number => Math.max(reserve, Math.min(capacity, want));
  let [below, takers] = [0, wants.reduce((sum, [, members]) => sum + members, 0)];
  for (const [want, members] of wants) {
    const due = dueTo(want);
    if (below + takers * due > parts) {
      const waterLevel = Math.floor((parts - below) / takers);
      const odd = parts - below - takers * waterLevel;
      return { scarce: true, waterLevel, reserve, extra: 0, float, spare: 0, odd, takers };
    }
    below += members * due;
    takers -= members;
  }
  const spare = parts - below;
  const extra = extraOf(spare, memberCount);
  return { scarce: false, waterLevel: capacity, reserve, extra, float, spare, odd: 0, takers: 0 };
}

/**
 * One half is handed out, the other stays free for whoever wants more next: nobody, where one member is alone. One
 * token for each, if there are so many: whoever only looks whether a token is there would find none.
 */
function extraOf(spare: number, memberCount: number): number {
  if (memberCount === 1) return spare;
  return Math.max(Math.floor(Math.floor(spare / 2) / memberCount), spare >= memberCount ? 1 : 0);
}

/** What a member is due that wants this much, without what it gets on top (R22). */
export function needOf({ waterLevel, reserve }: Pick<Division, "waterLevel" | "reserve">, want: number): number {
  return Math.min(Math.max(want, reserve), waterLevel);
}
