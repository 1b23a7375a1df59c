import type { CoordinationStore } from "../contract/coordination-store.ts";
import type { Duration } from "../internal/duration.ts";
import type { Rate } from "../internal/rate.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Release } from "../shares/allotment.ts";

/**
 * How the level moves between `min` and `max` (Numaflow design, "Throttling Modes"). A name alone takes the defaults:
 * `threshold` 50 (percent of the last active epoch's tokens that must be used), `coolDown` one interval, `rampDown` 100
 * (percent of a step lost for each epoch missed).
 * - `"scheduled"`: a step up for every epoch, used or not, from the first request on: before it the level is `min`.
 * - `"relaxed"`: a step up for every epoch with a request.
 * - `"onlyIfUsed"`: a step up when the last epoch with a request used `threshold` percent of this member's tokens.
 * - `"goBackN"`: the same, or else a step down; after a gap of more than `coolDown` also `rampDown` percent of a step
 *   down for each epoch missed. The whole is clamped once: at the top the step up, which leads nowhere, makes up for
 *   the first epoch missed.
 */
export type ModeOption =
  | "scheduled"
  | "relaxed"
  | "onlyIfUsed"
  | "goBackN"
  | { readonly type: "onlyIfUsed"; readonly threshold?: number }
  | { readonly type: "goBackN"; readonly threshold?: number; readonly coolDown?: Duration; readonly rampDown?: number };

/**
 * What happens when the share is past its validity and the store does not answer.
 * - `"stop"` (default): nothing is granted; `acquire` rejects with `DT_STORE_UNAVAILABLE` or `DT_STORE_TIMEOUT`.
 * - `hold`: the last share goes on for `for` longer. In a partition this breaks the promise: others take over the share
 *   meanwhile.
 * - `floor`: this member grants `max / maxMembers`. Safe while the whole fleet has lost the store and is no
 *   larger than that; a single partitioned member adds its floor to what the others grant.
 */
export type StoreLostOption =
  | "stop"
  | { readonly type: "hold"; readonly for: Duration }
  | { readonly type: "floor"; readonly maxMembers: number };

/** How a limit is divided: the same for all, or by what each uses. */
export type Shares = "even" | "demand";

/** The terms of a limit that another one replaces while a fleet is rolled. */
export interface ReplacedLimit {
  /** Its name: another one than the throttle's own. */
  readonly name: string;
  /** Its limit, where that was given as a rate; otherwise `max` is required. */
  readonly rate?: Rate;
  /** Its limit: tokens per interval. */
  readonly max?: number;
  /** Length of its epochs. Default 1 s. */
  readonly interval?: Duration;
}

/** Options of `createThrottle`. Durations are milliseconds or strings such as `"60s"`. */
export interface ThrottleOptions {
  /** The name of the limit: throttles of one name on one store share it. 1 to 1,024 UTF-8 bytes. */
  readonly name: string;
  /**
   * The limit of the whole group: so many tokens in so much time, such as `"600/min"`; a number is per second. It
   * stands for `max` with `interval`: 600 a minute lets 600 come at once. Give either `rate` or `max`.
   */
  readonly rate?: Rate;
  /** The limit of the whole group: tokens in one interval, a whole number >= 1. Give either `rate` or `max`. */
  readonly max?: number;
  /** Where the ledger is kept. Throttles may share a store; whoever made it closes it. */
  readonly store: CoordinationStore;
  /** Level at which the ramp begins, a whole number from 0 to `max`. Default `max`: no ramp. */
  readonly min?: number;
  /** Time to ramp from `min` to `max`. Required when `min < max`. */
  readonly rampUp?: Duration;
  /** Default `"relaxed"`. */
  readonly mode?: ModeOption;
  /** Length of an epoch, at least 10 ms, the same for the whole group. Default 1 s. */
  readonly interval?: Duration;
  /**
   * `"epoch"` (default): a share is available from the epoch's start. `"even"`: one token at a time, evenly spaced over
   * the whole group, for callees that count in a sliding window.
   */
  readonly release?: Release;
  /**
   * With `release: "even"`, how many tokens that no caller waited for may accumulate. Default 2 % of the share, at
   * least
   * 1. Tokens that came due while a caller waited are kept for 100 ms, however many they are.
   */
  readonly burst?: number;
  /**
   * How the limit is divided. `"demand"`: each member has what it asks for. Where that is more than there is, members
   * have the same part (max-min fair). `"even"`: each member has the same part, used or not. Members of one group may
   * differ. A group with a member that shares by demand never agrees: `status().agreed` stays false. `"demand"` needs a
   * store whose `capabilities.demand` is true.
   * @default `"demand"` on stores that have it and state no `capabilities.demandMembers` (memory, SQLite, Redis,
   *   PostgreSQL); `"even"` on others, and with `release: "even"`
   */
  readonly shares?: Shares;
  /**
   * While a change of the `interval` (or of the group's name) is rolled out: the terms of the group so far. Every grant
   * then takes as many tokens of that group as of this one, so that old and new processes together stay inside the old
   * limit, and the new ones inside both. Leave it out in the version after that. See docs/operations.md, "Changing the
   * interval".
   */
  readonly replaces?: ReplacedLimit;
  /** This member's id, unique in the group; keep it over restarts if ramps should resume. Default random. */
  readonly memberId?: string;
  /** Time between background syncs. Default 1 s, at most a third of `validity`. */
  readonly syncInterval?: Duration;
  /**
   * How long a share may be used after the sending of the last successful sync. Default three quarters of
   * `staleAfter - interval` (6.75 s).
   */
  readonly validity?: Duration;
  /**
   * Silence after which the store removes a member and gives its share to the others. Default `interval` + 9 s (10
   * s).
   */
  readonly staleAfter?: Duration;
  /**
   * Deadline of every call to the store. Default 1.25 s, at most a third of `validity`: a little more than an adapter's
   * own (1 s), whose error says more.
   */
  readonly storeTimeout?: Duration;
  /**
   * Largest error of this member's idea of the store's clock. Round trips longer than it are not used for the clock;
   * a share that rises in the last `clockError` of an epoch starts one epoch later. Default 250 ms, at most a quarter
   * of the interval.
   */
  readonly clockError?: Duration;
  /**
   * How long a new group raises no shares, so that survivors of a store that lost its data claim theirs first. Default
   * two sync intervals plus one interval where the store can lose its data, otherwise 0. `validity` or more makes a
   * loss of data safe against paused survivors too; `validity` plus a quarter of `staleAfter` plus the interval or more
   * also where the store's clock is set forward once meanwhile. At most twice `staleAfter`. The longest that any member
   * gave counts, also when it has left.
   */
  readonly learning?: Duration;
  /**
   * A member that returns with the same id within this time resumes its ramp where it was. Default 0: begins at
   * `min`.
   */
  readonly resumeWithin?: Duration;
  /** Default `"stop"`. */
  readonly onStoreLost?: StoreLostOption;
  /** How long a call waits that gives no `timeout`. Default: for as long as it takes. */
  readonly acquireTimeout?: Duration;
  /** Most callers that may wait at once; more are refused with `DT_QUEUE_FULL`. Default 10,000. */
  readonly maxWaiters?: number;
  /** Time, timers and randomness. Default the real ones. */
  readonly runtime?: Runtime;
}

/** The part of the options that can change while a throttle runs. */
export type ThrottleUpdate = Pick<ThrottleOptions, "rate" | "max" | "min" | "rampUp">;
