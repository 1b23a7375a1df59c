/** A group's aggregates. With one row of these and one row per member, a sync never reads a list of members. */
export interface GroupRow {
  generation: number;
  /** Live members. */
  poolSize: number;
  /** Sum of what they hold. */
  held: number;
  /** Live members that have adopted the current generation. */
  adopted: number;
  /** Smallest `max` of a live member; 0 in an empty group. */
  capacity: number;
  /** Largest pool size reported since the last agreement. */
  largestPoolSize: number;
  intervalMs: number;
  createdAtMs: number;
  learnUntilMs: number;
  /** Group time of the last operation. */
  lastMs: number;
  /** What is added to the store's clock so that group time never goes back. */
  offsetMs: number;
  /** The part of group time that does not count as silence (quiet stretches longer than `quietLimitMs`). */
  lapsedMs: number;
  /** A quarter of the smallest stale age registered: the longest quiet stretch that counts as silence. */
  quietLimitMs: number;
}

/** A member's row. */
export interface MemberRow {
  id: string;
  incarnation: string;
  seq: number;
  rank: number;
  generation: number;
  poolSize: number;
  held: number;
  max: number;
  level: number | null;
  staleAfterMs: number;
  resumeWithinMs: number;
  /** Liveness time (group time minus lapsed time) at which the member counts as stale. */
  expiresAtMs: number;
  /** `newcomer` before its first sync, then `holder` of its id; `fenced` once another incarnation is the holder. */
  standing: "newcomer" | "holder" | "fenced";
  /** The generation that its registration made, negative for one that rejoined: anything new has arrived later. The order of arrival among incarnations of one id. */
  joined: number;
}

/**
 * What the ledger needs of one group's storage, inside one transaction. Rows are values: a changed row takes effect by `put`.
 */
export interface LedgerTable {
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
  /** The smallest `max` of a member; undefined without members. */
  smallestMax(): number | undefined;
  /** Every member, in order of rank. Only for `inspect`. */
  members(): readonly MemberRow[];
  /** Remembers the last level of an id until `untilMs` (group time); forgets levels whose time is over at `nowMs`. */
  rememberLevel(id: string, level: number, untilMs: number, nowMs: number): void;
  /** The level remembered for an id, if its time is not over at `nowMs`. */
  rememberedLevel(id: string, nowMs: number): number | undefined;
}

/** The most members one operation removes, so that a mass death does not make one operation arbitrarily slow. The next one goes on. */
export const PRUNE_LIMIT = 1_000;
