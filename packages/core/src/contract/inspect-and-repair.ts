import type { StoredCopy } from "./limit-ledger.ts";
import type { MemberRef } from "./members.ts";

/** A group's ledger as data, for status pages and tests. */
export interface GroupSnapshot {
  /** The group's name. */
  readonly group: string;
  /** 0 when the group does not exist. */
  readonly generation: number;
  /** The limit: the smaller one of `stored` and the smallest `max` that a live member declares. Per interval. */
  readonly capacity: number;
  /** The stored limit as the group's row has it (R36), `max` among its values; absent where no member has `stored`. */
  readonly stored?: StoredCopy;
  /** Live members. */
  readonly memberCount: number;
  /** Members that have adopted the current generation. */
  readonly adopted: number;
  /** Sum of what the members hold. */
  readonly held: number;
  /** Length of an epoch, in milliseconds. */
  readonly intervalMs: number;
  /** The store's time at the answer, in milliseconds. */
  readonly storeTimeMs: number;
  /** How long the group has existed, in milliseconds. */
  readonly groupAgeMs: number;
  /** True while the group raises no shares, since it may have lost its data (R8). */
  readonly learning: boolean;
  /** What is left of the group's pause, in milliseconds (R35). Absent or 0: no pause. */
  readonly pausedForMs?: number;
  /** Ordered by rank. */
  readonly members: readonly MemberSnapshot[];
}

/** One member in a {@link GroupSnapshot}. */
export interface MemberSnapshot extends MemberRef {
  /** Its place among the members, from 0. */
  readonly rank: number;
  /** The generation it has adopted, 0 for none. */
  readonly generation: number;
  /** The number of members that it has adopted. */
  readonly memberCount: number;
  /** The most that it may be using, in tokens of the capacity. */
  readonly held: number;
  /** The limit that it declares, in tokens per interval; null for a member whose limit is the stored one (R36). */
  readonly max: number | null;
  /** The level of its ramp; null before tokens were ever asked for. */
  readonly level: number | null;
  /** Time since its last heartbeat, in milliseconds. */
  readonly silentMs: number;
  /** True when another process holds its id (R3). */
  readonly fenced: boolean;
  /** Tokens that it could use per epoch, on the ledger's grid (R21). Absent for one that shares evenly. */
  readonly want?: number;
  /**
   * Tokens that it granted in the last epoch that was over when it last reported (R27). Absent where it does not report
   * them.
   */
  readonly used?: number;
  /** Tokens that its callers waited for at that moment (R27). Absent where it does not report them. */
  readonly waiting?: number;
}

/** How a group is repaired. */
export interface RepairOptions {
  /**
   * Forgets the members and starts the ledger anew.
   * @default false
   */
  readonly reset?: boolean;
}

/** What a repair found and did. */
export interface RepairReport {
  /** A sentence for each thing that was wrong. */
  readonly found: readonly string[];
  /** Members that are left. */
  readonly members: number;
  /** True when the members were forgotten: asked for, or because the group's own row was damaged. */
  readonly reset: boolean;
}
