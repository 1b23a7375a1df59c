import type { DtError } from "../errors/dt-error.ts";
import type { LimiterStatus } from "../limiter/limiter-status.ts";

/**
 * - `starting`: it has not joined its group yet. `stopped`: it is being drained, or has stopped. `fenced`: another
 *   process has its id.
 * - `store`: there is no valid share, since the store does not answer, or not in time.
 * - `pause`: the fleet is paused: `pauseUntil` was called, here or in another process.
 * - `paused`: the level (of the ramp, or by `cap`) leaves the whole group less than a token.
 * - `learning`: the group is new in a store that may have lost its data; survivors claim their shares first.
 * - `stale-members`: the tokens are held by members that fell silent, until the store removes them.
 * - `members`: the tokens are held by other members, which give some up with their next reports, or have their turn.
 * - `share`: what this member has of the epoch is used up, or begins with a later one.
 */
export type BlockedReason =
  | "starting"
  | "stopped"
  | "fenced"
  | "store"
  | "pause"
  | "paused"
  | "learning"
  | "stale-members"
  | "members"
  | "share";

/** What keeps callers from being granted a token at this instant. */
export interface BlockedBy {
  /** Why, as one word. */
  readonly reason: BlockedReason;
  /** When it ends at the earliest, in milliseconds from now; undefined where that is not known here. */
  readonly endsInMs: number | undefined;
  /** The same for people, in a sentence. */
  readonly message: string;
  /** Why the store's last call failed, if it did. */
  readonly error: DtError | undefined;
}

/** A throttle at one instant, as data. */
export interface ThrottleStatus extends LimiterStatus {
  /** The limiter's kind. */
  readonly kind: "throttle";
  /** Where it is between its start and its end. */
  readonly state: "idle" | "starting" | "running" | "draining" | "stopping" | "stopped" | "fenced";
  /** This member's id, unique among the members. */
  readonly memberId: string;
  /** The epoch, numbered by the store's clock; undefined before the first look. */
  readonly epoch: number | undefined;
  /** Length of an epoch, in milliseconds. */
  readonly intervalMs: number;
  /** When the next epoch begins and brings a new share, in milliseconds from now. */
  readonly epochEndsInMs: number;
  /** The limit configured here, in tokens per interval: with `stored` the code's value, which need not count. */
  readonly max: number;
  /** True where the limit lives in the store. */
  readonly stored: boolean;
  /**
   * The group's limit, in tokens per interval: the smallest `max` of a live member, and at most the limit in the store.
   * 0 before the first answer.
   */
  readonly capacity: number;
  /**
   * The level of the whole pool, in tokens per interval, as it would be if tokens were asked for now; never above
   * `cap`.
   */
  readonly level: number;
  /** What `throttle.cap` set, in tokens per interval of the whole pool; undefined for no cap. */
  readonly cap: number | undefined;
  /** Whole tokens of this epoch that are this member's. */
  readonly share: number;
  /** Tokens granted in this epoch and not deposited: what counts as used for the mode. */
  readonly used: number;
  /** The same of the epoch before this one, which is over. */
  readonly usedBefore: number;
  /**
   * Epochs so far in which this process was near the limit: 80 % or more of its share was used. Where shares follow
   * demand, the most that a member could get counts in place of the share.
   */
  readonly nearLimit: number;
  /** Tokens that `tryAcquire` could grant at this instant. */
  readonly available: number;
  /**
   * What keeps callers from being granted a token at this instant, until when, and what to do; undefined when nothing
   * does.
   */
  readonly blockedBy: BlockedBy | undefined;
  /** For how much longer the fleet is paused, in milliseconds, as far as this process knows; 0 while it is not. */
  readonly pausedForMs: number;
  /** Tokens that were granted so far, and of them those that were given back and could be granted again. */
  readonly tokens: { readonly granted: number; readonly deposited: number };
  /** Version of the group's membership and capacity; 0 before the first answer. */
  readonly generation: number;
  /** Live members of the group. */
  readonly members: number;
  /** True when the last answer, still valid, was that every live member has adopted this generation. */
  readonly agreed: boolean;
  /** The most this member may be using, in tokens of the capacity. */
  readonly held: number;
  /** Tokens that it reported it could use per epoch; undefined when it shares evenly. */
  readonly want: number | undefined;
  /**
   * What becomes of calls while the store is lost, by `onStoreLost`: `hold` until its time is over, then `stop`.
   * Undefined while the share is valid, before the start and after the end.
   */
  readonly storeLost: "stop" | "hold" | "floor" | undefined;
  /** How much longer the share may be used without another successful sync, in milliseconds. */
  readonly validForMs: number;
  /** Why the last call to the store failed; undefined after a success. */
  readonly lastError: DtError | undefined;
}
