import type { MemberRef } from "./members.ts";

/** A group's ledger as data, for status pages and tests. */
export interface GroupSnapshot {
  readonly group: string;
  /** 0 when the group does not exist. */
  readonly generation: number;
  readonly capacity: number;
  readonly memberCount: number;
  /** Members that have adopted the current generation. */
  readonly adopted: number;
  /** Sum of what the members hold. */
  readonly held: number;
  readonly intervalMs: number;
  readonly storeTimeMs: number;
  readonly groupAgeMs: number;
  readonly learning: boolean;
  /** Ordered by rank. */
  readonly members: readonly MemberSnapshot[];
}

/** One member in a {@link GroupSnapshot}. */
export interface MemberSnapshot extends MemberRef {
  readonly rank: number;
  /** The generation it has adopted, 0 for none. */
  readonly generation: number;
  readonly memberCount: number;
  readonly held: number;
  readonly max: number;
  readonly level: number | null;
  /** Time since its last heartbeat, in milliseconds. */
  readonly silentMs: number;
  readonly fenced: boolean;
  /** Tokens that it could use per epoch, on the ledger's grid (R21). Absent for one that shares evenly. */
  readonly want?: number;
  /**
   * Tokens that it granted in the last epoch that was over when it last reported (R27). Absent where it said nothing of
   * that.
   */
  readonly used?: number;
  /** Tokens that its callers waited for at that moment (R27). Absent where it said nothing of that. */
  readonly waiting?: number;
}

/** How a group is repaired. */
export interface RepairOptions {
  /** Forgets the members and starts the ledger anew. Default false. */
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
