import type { CoordinationStore } from "../contract/coordination-store.ts";
import type { Duration } from "../internal/duration.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** What a semaphore is made of. Only `name`, `max` and `store` must be given. */
export interface SemaphoreOptions {
  /** The name: all processes of the fleet give the same. A throttle of the same name is another limiter. */
  readonly name: string;
  /** The most slots in use over the whole fleet: a whole number, 1 or more. */
  readonly max: number;
  /**
   * True where the limit lives in the store: an operator changes it there for the whole fleet, with `setLimit` or
   * `dt limit set`. The limit here is the code's value then. It counts where none is set, by the process that comes
   * first. See docs/limiters.md, "Limits in one place".
   * @default false
   */
  readonly stored?: boolean;
  /** Where the members share the slots. Several limiters may use one store. The code that made the store closes it. */
  readonly store: CoordinationStore;
  /**
   * How long a process keeps a slot that cannot be divided while another process waits for it, in milliseconds or as
   * text: at least one call. A longer turn costs less, and lets others wait longer.
   * @default 50 times the median round trip to the store, at least 100 ms
   */
  readonly turn?: Duration;
  /**
   * How long one call should hold its slot, in milliseconds or as text. After it `slot.signal` aborts and the event
   * `overdue` comes. The slot stays in use until it is released.
   * @default none
   */
  readonly maxHold?: Duration;
  /**
   * How many calls may wait at once: a whole number, 1 or more. Further calls reject with `DT_QUEUE_FULL`.
   * @default 10,000
   */
  readonly maxWaiters?: number;
  /**
   * How long a call waits that gives no `timeout`, in milliseconds or as text. It then rejects with `DT_TIMEOUT`.
   * @default none: the call waits for as long as it takes
   */
  readonly acquireTimeout?: Duration;
  /**
   * How long a call may take to end once `slot.signal` has aborted, in milliseconds or as text. A call that ends in
   * this time never overlaps with the call that gets its slot next.
   * @default a fifth of `staleAfter`: 2 s
   */
  readonly stopWithin?: Duration;
  /**
   * How long a member may be silent until the store gives its slots to the others, in milliseconds or as text. Three
   * quarters of it must be more than `validity`, `stopWithin` and 1 % of it together.
   * @default 10 s, or more where `validity` and `stopWithin` need it
   */
  readonly staleAfter?: Duration;
  /**
   * How long slots may be used after the last successful sync was sent, in milliseconds or as text.
   * @default what `stopWithin` leaves of 72.5 % of `staleAfter`: 5.25 s
   */
  readonly validity?: Duration;
  /**
   * The time between two syncs in the background, in milliseconds or as text: less than `validity`.
   * @default 1 s, at most a third of `validity`
   */
  readonly syncInterval?: Duration;
  /**
   * The deadline of each call to the store, in milliseconds or as text.
   * @default 1.25 s, at most a third of `validity`
   */
  readonly storeTimeout?: Duration;
  /**
   * How long a new group hands out no slots, in milliseconds or as text: at least `staleAfter` where the store can lose
   * its data, at most twice that. In this time, members that survived a loss of the store's data claim their slots.
   * @default `staleAfter` where the store can lose its data, otherwise 0
   */
  readonly learning?: Duration;
  /**
   * The id of this member, unique in the group.
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
   * Time, timers and randomness, for tests.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

/** What `update` may change while a semaphore runs. */
export type SemaphoreUpdate = Pick<SemaphoreOptions, "max">;
