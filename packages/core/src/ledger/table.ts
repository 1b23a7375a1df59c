import type { Activity } from "../contract/coordination-store.ts";
import type { LimitRecordHead } from "../limits/limit-row.ts";
import type { SlotTable } from "./slot-table.ts";
import { type Wants, wantsOf } from "./wants.ts";

/** What a group's row copies of its limit record (L4). */
export interface GroupCopy {
  readonly revision: number;
  readonly values: { readonly max: number };
}

/** A group's aggregates. With one row of these and one row per member, a sync never reads a list of members. */
export interface GroupRow {
  generation: number;
  /** Live members. */
  memberCount: number;
  /** Sum of what they hold. */
  held: number;
  /** Live members that have adopted the current generation. */
  adopted: number;
  /** Smallest of the stored limit and of every `max` that a live member declares; 0 in an empty group. */
  capacity: number;
  /** Largest member count reported since the last agreement. */
  largestMemberCount: number;
  intervalMs: number;
  createdAtMs: number;
  /**
   * Group time from which learning counts: the creation, or earlier when the data is known to be older; the last
   * repair.
   */
  learnFromMs: number;
  learnUntilMs: number;
  /** Group time of the last operation. */
  lastMs: number;
  /** What is added to the store's clock so that group time never goes back. */
  offsetMs: number;
  /** The part of group time that does not count as silence (quiet stretches longer than `quietLimitMs`). */
  lapsedMs: number;
  /**
   * A quarter of the smallest stale age of a live member: the longest quiet stretch that counts as silence. What it was
   * last in an empty group.
   */
  quietLimitMs: number;
  /** The longest stale age of a live member; what it was last in an empty group. */
  longestStaleMs: number;
  /** The largest clock error of a live member; 0 in an empty group. */
  clockErrorMs: number;
  /** The latest group time that a member that is gone may have thought it was when it went: its clock error later. */
  aheadUntilMs: number;
  /** How often the group was repaired. One that was learns for the longest stale age registered. */
  repairs: number;
  /** The newest epoch that tokens became free in; null while that is not known (R20). */
  freedEpoch: number | null;
  /** How many of the tokens that became free in that epoch were used in it before. */
  spent: number;
  /** What its members want that share by demand, counted (R21). */
  wants: Wants;
  /** Group time at which a member last got less than it is due; null before the first (R22). */
  hungryMs: number | null;
  /** Group time before which no member begins a call (R35); 0 before the first pause. */
  pausedUntilMs: number;
  /** The copy of the limit record (R36); null where no member has `stored`. */
  stored: GroupCopy | null;
}

/** A member's row. */
export interface MemberRow {
  id: string;
  incarnation: string;
  seq: number;
  rank: number;
  generation: number;
  memberCount: number;
  held: number;
  /** The limit that it declares; null for a member with `stored` (R36). */
  max: number | null;
  level: number | null;
  staleAfterMs: number;
  /** How far its idea of the store's time may be off. */
  clockErrorMs: number;
  resumeWithinMs: number;
  /** Liveness time (group time minus lapsed time) at which the member counts as stale. */
  expiresAtMs: number;
  /** `newcomer` before its first sync, then `holder` of its id; `fenced` once another incarnation is the holder. */
  standing: "newcomer" | "holder" | "fenced";
  /**
   * The generation that its registration made, negative for one that rejoined: anything new has arrived later. The
   * order of arrival among incarnations of one id.
   */
  joined: number;
  /** Tokens that it could use per epoch, on the grid; null for one that shares evenly (R21). */
  want: number | null;
  /** True while it holds an odd token (R23). */
  odd: boolean;
  /**
   * Group time at which it last gave one up, and until which it rests, 0 before the first; of one that shares evenly
   * and holds one, until which its turn lasts.
   */
  gaveUpMs: number;
  restUntilMs: number;
  /** What it said with its last report of what it does; null where it said nothing (R27). */
  activity: Activity | null;
}

/** What follows from the times that the members declare. */
export interface Extremes {
  readonly smallestStaleMs: number;
  readonly longestStaleMs: number;
  readonly largestClockErrorMs: number;
}

/** What follows from counting the members' rows. */
export interface MemberCount {
  readonly memberCount: number;
  /** Sum of what they hold. */
  readonly held: number;
  /** What they want. */
  readonly wants: Wants;
}

/**
 * What the ledger needs of one group's storage, inside one transaction. Rows are values: a changed row takes effect by
 * `put`.
 */
export interface LedgerTable {
  /** The queue of a semaphore; absent where the store keeps none (R28). */
  readonly slots?: SlotTable;
  group(): GroupRow | undefined;
  putGroup(row: GroupRow): void;
  member(incarnation: string): MemberRow | undefined;
  putMember(row: MemberRow): void;
  deleteMember(row: MemberRow): void;
  /** The member that is the holder of this id, if any; there is at most one. */
  holderOf(id: string): MemberRow | undefined;
  memberAtRank(rank: number): MemberRow | undefined;
  /** Members with `expiresAtMs <= livenessMs`, up to {@link PRUNE_LIMIT}, in any order. */
  expired(livenessMs: number): readonly MemberRow[];
  /** The smallest `max` that a member declares; undefined where none does. */
  smallestMax(): number | undefined;
  /**
   * True where a member declares no `max`. Asked for where the row has a copy, and a member left or declares something
   * else. Present with `limit`.
   */
  hasStored?(): boolean;
  /**
   * The group's limit record. Asked for by requests with `stored`, first of all. Absent where the store keeps no stored
   * limits: such members declare the code's value then.
   * @throws DtError `DT_STORE_DATA` where it is damaged
   */
  limit?(): LimitRecordHead | undefined;
  /**
   * The smallest and largest of the times that the members declare; undefined without members. Asked for when one was
   * removed.
   */
  extremes(): Extremes | undefined;
  /**
   * Counts the members' rows. Asked for before a change of membership, see {@link isCountDue}. Undefined where they
   * cannot be counted now.
   */
  count(): MemberCount | undefined;
  /** Every member, in order of rank. Only for `inspect`. */
  members(): readonly MemberRow[];
  /** Remembers the last level of an id until `untilMs` (group time); forgets levels whose time is over at `nowMs`. */
  rememberLevel(id: string, level: number, untilMs: number, nowMs: number): void;
  /** The level remembered for an id, if its time is not over at `nowMs`. */
  rememberedLevel(id: string, nowMs: number): number | undefined;
}

/**
 * The most members one operation removes, so that a mass death does not make one operation arbitrarily slow. The next
 * one goes on.
 */
export const PRUNE_LIMIT = 1_000;

/** In groups of up to this many members the rows are counted with every change of membership. */
const COUNT_ALWAYS = 64;
/** In larger ones about once in so many changes. */
const COUNT_EVERY = 16;

/**
 * True when the rows are to be counted before a change of membership (R18). Generations are times, so that their last
 * digits are as good as chance.
 */
export function isCountDue({ memberCount, generation }: Pick<GroupRow, "memberCount" | "generation">): boolean {
  return memberCount <= COUNT_ALWAYS || generation % COUNT_EVERY === 0;
}

/** {@link LedgerTable.smallestMax} of a list of rows. */
export function smallestMaxOf(rows: Iterable<Pick<MemberRow, "max">>): number | undefined {
  let smallest: number | undefined;
  for (const { max } of rows) if (max !== null && (smallest === undefined || max < smallest)) smallest = max;
  return smallest;
}

/** {@link LedgerTable.extremes} of a list of rows. */
export function extremesOf(rows: Iterable<Pick<MemberRow, "staleAfterMs" | "clockErrorMs">>): Extremes | undefined {
  let found: { -readonly [Key in keyof Extremes]: number } | undefined;
  for (const { staleAfterMs, clockErrorMs } of rows) {
    found ??= {
      smallestStaleMs: staleAfterMs,
      longestStaleMs: staleAfterMs,
      largestClockErrorMs: clockErrorMs,
    };
    found.smallestStaleMs = Math.min(found.smallestStaleMs, staleAfterMs);
    found.longestStaleMs = Math.max(found.longestStaleMs, staleAfterMs);
    found.largestClockErrorMs = Math.max(found.largestClockErrorMs, clockErrorMs);
  }
  return found;
}

/** {@link LedgerTable.count} of a list of rows. */
export function countOf(rows: readonly MemberRow[]): MemberCount {
  const held = rows.reduce((sum, row) => sum + row.held, 0);
  return { memberCount: rows.length, held, wants: wantsOf(rows) };
}
