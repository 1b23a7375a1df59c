import type { Demand, DemandView } from "./demand.ts";

/** One boot of a process with this id. */
export interface MemberRef {
  /** The member's id, unique in the group; 1 to 1,024 UTF-8 bytes. */
  readonly id: string;
  /** Random, new at every boot. */
  readonly incarnation: string;
}

/** What a member reports of itself when it joins. */
export interface Registration extends MemberRef {
  /** Grows with every request of this incarnation (R11). */
  readonly seq: number;
  /** True when this incarnation was a member before and was answered `unknown`. */
  readonly rejoin: boolean;
  /** Tokens still validly in use; 0 for a newcomer. Accepted as a fact (R7). */
  readonly claim: number;
  /** The limit this member is configured with, in tokens per interval. */
  readonly max: number;
  /**
   * True for a member whose limit lives in the store (R36): `max` is the code's value then, and no limit that it
   * declares.
   */
  readonly stored?: boolean;
  /** Length of an epoch. The same for the whole group. */
  readonly intervalMs: number;
  /** Silence after which this member is removed. */
  readonly staleAfterMs: number;
  /** How long after its creation the group raises no member's share (R8). The largest value registered counts. */
  readonly learningMs: number;
  /** How far this member's estimate of the store's time may be off, in milliseconds (R6). Absent counts as 0. */
  readonly clockErrorMs?: number;
  /** The member's current level, in tokens per interval, or null before it has one. */
  readonly level: number | null;
  /** How long the member's last level is remembered after it is gone; 0 = not at all. */
  readonly resumeWithinMs: number;
  /**
   * The group's time is at least this (R2); 0 for a newcomer. It is the largest of three times. The first is the newest
   * store time that this incarnation was answered. The second is the start of the newest epoch that it has begun. The
   * third is the store time by its own clock. The last two are less its clock error. So a group hands out no shares of
   * an epoch that a member has begun already: this member, or one that is cut off. This holds also for a group that was
   * recreated after a loss of data, and where the server's clock went back.
   */
  readonly observedMs: number;
  /** Present for a member whose share follows its demand (R21). */
  readonly demand?: Demand;
}

/** What a member reports with each heartbeat. */
export interface Report {
  /** Grows with every request of this incarnation (R11). */
  readonly seq: number;
  /** The generation this member has adopted: the one of the last View it acted on. */
  readonly generation: number;
  /** The number of members of that View. */
  readonly members: number;
  /** The most this member may be using, including raises still to start, in tokens of the capacity. */
  readonly held: number;
  /** The limit this member is configured with now. */
  readonly max: number;
  /** As in a {@link Registration}. */
  readonly stored?: boolean;
  /** Its current level, in tokens per interval. */
  readonly level: number | null;
  /** As in a {@link Registration}; absent counts as 0. */
  readonly observedMs?: number;
  /** The tokens that it used (R20). Absent when that is not known. */
  readonly use?: Use;
  /** As in a {@link Registration}. */
  readonly demand?: Demand;
  /** The member's activity (R27), for people and tools. Absent: the member does not report it. */
  readonly activity?: Activity;
  /**
   * No member of the group is to begin a call for so long from now on, in milliseconds (R35). Absent or 0: the member
   * asks for no pause.
   */
  readonly pauseMs?: number;
}

/** What a member does, as its report states (R27). */
export interface Activity {
  /**
   * Tokens that it granted in the last epoch that was over when it reported, less those that came back in that epoch. A
   * whole number: 0 when it granted nothing in the epoch before the one under way.
   */
  readonly used: number;
  /** Tokens that its callers wait for at that moment, a whole number. */
  readonly waiting: number;
}

/** What a member used in the newest epoch that it has begun, by the store's clock (R20). */
export interface Use {
  /** The epoch, numbered by the store's clock. */
  readonly epoch: number;
  /** Tokens, without those that an earlier answered report counts as spent. */
  readonly used: number;
}

/** What a member reports when it leaves. */
export interface Farewell {
  /** Grows with every request of this incarnation (R11). */
  readonly seq: number;
  /** Its last level, in tokens per interval. */
  readonly level: number | null;
  /** As in a {@link Registration}; absent counts as 0. */
  readonly observedMs?: number;
  /** As in a {@link Report}. */
  readonly use?: Use;
}

/** The store's answer to `register` and `sync`. */
export type View = MemberView | RefusedView;

/** The answer to a member. */
export interface MemberView {
  /** `agree` when every live member has adopted the current generation. */
  readonly status: "agree" | "disagree";
  /** The current generation of membership and capacity. */
  readonly generation: number;
  /** Number of live members, this one included. */
  readonly members: number;
  /**
   * On `agree` the number of members, on `disagree` the largest number of members reported since the last agreement.
   */
  readonly reportedMembers: number;
  /** This member's rank in the generation, 0 <= rank < memberCount. */
  readonly rank: number;
  /** Tokens this member is recorded as holding: the most that it may be using (R7). */
  readonly held: number;
  /**
   * Tokens this member may use in every epoch, at most `held` (R19). It gives up at once any token that it uses beyond
   * them. On `agree` it goes on to its tokens of the exact split: as many, and now and then one more of those that are
   * held.
   */
  readonly entitled: number;
  /**
   * The first epoch in which it may use tokens that it did not use before: more tokens, or on `agree` the exact split
   * (R19, R20). The epoch may have begun.
   */
  readonly fromEpoch: number;
  /** Of the tokens that it may not have used before, those that it may use an epoch earlier than `fromEpoch` (R20). */
  readonly early: number;
  /**
   * The limit, in tokens per interval: the smaller one of the stored limit (R36) and the smallest `max` that a live
   * member without `stored` declares (R6).
   */
  readonly capacity: number;
  /** How far a member's estimate of the store's time may be off, in milliseconds: the largest that counts (R6). */
  readonly clockErrorMs: number;
  /** The store's time when it answered, in milliseconds. */
  readonly storeTimeMs: number;
  /** Time since the group was created, in milliseconds of store time. */
  readonly groupAgeMs: number;
  /** True while R8 keeps shares from being raised. */
  readonly learning: boolean;
  /** Only in the answer to a registration: the level to resume (R13), or null. */
  readonly resumeLevel: number | null;
  /** What is left of the group's pause, in milliseconds: no member begins a call before (R35). Absent or 0: none. */
  readonly pausedForMs?: number;
  /** Present for a member that shares by demand (R22). */
  readonly demand?: DemandView;
}

/**
 * The answer to a process that is not a member: `unknown` (register again) or `fenced` (another process has the id).
 */
export interface RefusedView {
  /** Why the caller is refused. */
  readonly status: "unknown" | "fenced";
  /** The store's time when it answered, in milliseconds. */
  readonly storeTimeMs: number;
}
