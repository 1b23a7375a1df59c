import type { CoordinationStore } from "../contract/coordination-store.ts";
import type { Duration } from "../internal/duration.ts";
import type { Rate } from "../internal/rate.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Release } from "../shares/allotment.ts";

/**
 * How the pool grows from `min` to `max`: the name of a mode, or an object where the mode has numbers of its own.
 * - `"scheduled"`: one step up in every epoch after the first request, used or not.
 * - `"relaxed"`: one step up in every epoch with a request.
 * - `"onlyIfUsed"`: one step up when the last epoch with a request used enough of this member's tokens.
 * - `"goBackN"`: one step up when that epoch used enough, otherwise one step down. A pause takes further steps down.
 *
 * `threshold` is "enough", in percent of this member's tokens: 50 by default. `coolDown` is how long a pause may last
 * before it counts: one `interval` by default. `rampDown` is how much of a step each epoch of a longer pause takes
 * away, in percent: 100 by default.
 */
export type ModeOption =
  | "scheduled"
  | "relaxed"
  | "onlyIfUsed"
  | "goBackN"
  | { readonly type: "onlyIfUsed"; readonly threshold?: number }
  | { readonly type: "goBackN"; readonly threshold?: number; readonly coolDown?: Duration; readonly rampDown?: number };

/**
 * What happens when the store gives no answer for longer than `validity`.
 * - `"stop"`: nothing is granted. `acquire` rejects with `DT_STORE_UNAVAILABLE` or `DT_STORE_TIMEOUT`.
 * - `hold`: the member uses its last share for `for` longer. If only this member is cut off, the others take over its
 *   share, and together they may exceed the limit.
 * - `floor`: the member grants `max / maxMembers` per interval. This is safe while all members have lost the store and
 *   are at most `maxMembers`. A member that is cut off alone adds its part to what the others grant.
 */
export type StoreLostOption =
  | "stop"
  | { readonly type: "hold"; readonly for: Duration }
  | { readonly type: "floor"; readonly maxMembers: number };

/** How a limit is divided: an even part for each member, or by what each member uses. */
export type Shares = "even" | "demand";

/** The limit that a new one replaces, while both versions of a fleet run. */
export interface ReplacedLimit {
  /** The name of the old limit: not the name of the throttle itself. */
  readonly name: string;
  /**
   * The old limit as a rate.
   * @default none: give either `rate` or `max`
   */
  readonly rate?: Rate;
  /**
   * The old limit, in tokens per `interval`.
   * @default none: give either `rate` or `max`
   */
  readonly max?: number;
  /**
   * The length of the old epochs, in milliseconds or as text.
   * @default 1 s
   */
  readonly interval?: Duration;
}

/** Options of `createThrottle`. A time is a number of milliseconds or a text such as `"60s"`. */
export interface ThrottleOptions {
  /** The name of the limit, 1 to 1,024 UTF-8 bytes. Throttles with one name on one store share the limit. */
  readonly name: string;
  /**
   * The limit of all members together: a count and a time, such as `"600/min"`. A number is per second. `"600/min"` is
   * `max: 600` with `interval: "1m"`: all 600 may come at once.
   * @default none: give either `rate` or `max`
   */
  readonly rate?: Rate;
  /**
   * The limit of all members together, in tokens per `interval`: a whole number, 1 or more.
   * @default none: give either `rate` or `max`
   */
  readonly max?: number;
  /**
   * True where the limit lives in the store: an operator changes it there for the whole fleet, with `setLimit` or
   * `dt limit set`. The limit here is the code's value then. It counts where none is set, by the process that comes
   * first. See docs/limiters.md, "Limits in one place".
   * @default false
   */
  readonly stored?: boolean;
  /** Where the members share the limit. Several throttles may use one store. The code that made the store closes it. */
  readonly store: CoordinationStore;
  /**
   * Where the ramp begins, in tokens per interval: a whole number from 0 to `max`.
   * @default `max`: no ramp
   */
  readonly min?: number;
  /**
   * How long the ramp from `min` to `max` takes, in milliseconds or as text such as `"60s"`. Required when `min` is
   * below `max`.
   * @default none
   */
  readonly rampUp?: Duration;
  /**
   * How the pool grows from `min` to `max`. Without a ramp it changes nothing.
   * @default `"relaxed"`
   */
  readonly mode?: ModeOption;
  /**
   * The length of an epoch, in milliseconds or as text: at least 10 ms, the same for all members. It goes with `max`.
   * @default 1 s
   */
  readonly interval?: Duration;
  /**
   * When the tokens of a share may be used. `"epoch"`: from the start of the epoch, all at once. `"even"`: one at a
   * time, evenly spaced over all members, for a callee that counts in a sliding window.
   * @default `"epoch"`
   */
  readonly release?: Release;
  /**
   * With `release: "even"`, how many tokens may add up while no caller waits: a whole number, 1 or more. Tokens that
   * came due while a caller waited stay for 100 ms, however many.
   * @default 2 % of the share, at least 1
   */
  readonly burst?: number;
  /**
   * How the limit is divided. `"demand"`: each member gets as much as it asks for; where that is more than the limit,
   * the members get the same (max-min fair). `"even"`: each member has the same part, used or not. `"demand"` needs a
   * store whose `capabilities.demand` is true. Members of one group may differ. A group with a member that shares by
   * demand never agrees: `status().agreed` stays false.
   * @default `"demand"` on memory, SQLite, Redis and PostgreSQL (`capabilities.demand` without `demandMembers`);
   *   `"even"` on other stores, and with `release: "even"`
   */
  readonly shares?: Shares;
  /**
   * The limit that this one replaces while a new version is rolled out with another name or `interval`. Each grant then
   * takes as many tokens of the old limit as of the new one. So old and new processes together stay inside the old
   * limit. Leave it out of the next version. See docs/operations.md, "Changing the interval".
   * @default none
   */
  readonly replaces?: ReplacedLimit;
  /**
   * The id of this member, unique in the group. Keep it over a restart if the ramp should go on where it was.
   * @default the label, and a random part
   */
  readonly memberId?: string;
  /**
   * What this process is called where people look at the fleet (`dt status`, `dt console`): the beginning of its id. At
   * most 64 characters.
   * @default the host's name
   */
  readonly label?: string;
  /**
   * The time between two syncs in the background, in milliseconds or as text: less than `validity`.
   * @default 1 s, at most a third of `validity`
   */
  readonly syncInterval?: Duration;
  /**
   * How long a share may be used after the last successful sync was sent, in milliseconds or as text.
   * @default three quarters of `staleAfter - interval`: 6.75 s
   */
  readonly validity?: Duration;
  /**
   * How long a member may be silent until the store gives its share to the others, in milliseconds or as text.
   * `validity`, `interval` and 1 % of `validity` together must be less.
   * @default `interval` + 9 s: 10 s
   */
  readonly staleAfter?: Duration;
  /**
   * The deadline of each call to the store, in milliseconds or as text. The default is a little more than the 1 s of an
   * adapter, whose error names more.
   * @default 1.25 s, at most a third of `validity`
   */
  readonly storeTimeout?: Duration;
  /**
   * The most by which this member may misjudge the store's clock, in milliseconds or as text. Slower round trips do not
   * set the clock. A share that rises within this time before the end of an epoch counts from the next epoch on.
   * @default 250 ms, at most a quarter of `interval`
   */
  readonly clockError?: Duration;
  /**
   * How long a new group raises no share, in milliseconds or as text, at most twice `staleAfter`. In this time, members
   * that survived a loss of the store's data claim their shares. `validity` or more also protects the shares of paused
   * members. The longest time that a member gave counts, also after it left. See docs/guarantees.md.
   * @default two sync intervals and one `interval` where the store can lose its data, otherwise 0
   */
  readonly learning?: Duration;
  /**
   * How long after it was removed a member with the same `memberId` finds its ramp where it was, in milliseconds or as
   * text.
   * @default 0: the ramp begins at `min`
   */
  readonly resumeWithin?: Duration;
  /**
   * What happens when the store gives no answer for longer than `validity`.
   * @default `"stop"`: nothing is granted
   */
  readonly onStoreLost?: StoreLostOption;
  /**
   * How long a call waits that gives no `timeout`, in milliseconds or as text. It then rejects with `DT_TIMEOUT`.
   * @default none: the call waits for as long as it takes
   */
  readonly acquireTimeout?: Duration;
  /**
   * How many calls may wait at once: a whole number, 1 or more. Further calls reject with `DT_QUEUE_FULL`.
   * @default 10,000
   */
  readonly maxWaiters?: number;
  /**
   * Time, timers and randomness, for tests.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

/** What `update` may change while a throttle runs. */
export type ThrottleUpdate = Pick<ThrottleOptions, "rate" | "max" | "min" | "rampUp">;
