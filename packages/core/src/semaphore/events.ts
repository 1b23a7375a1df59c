import type { MembershipEvents } from "../consensus/membership-events.ts";
import { Events } from "../internal/events.ts";
import type { DecidedCall } from "../internal/tally.ts";

type Shared =
  | "generation"
  | "paused"
  | "validityRegained"
  | "storeError"
  | "forgotten"
  | "rejoined"
  | "stoodStill"
  | "fenced";

/** The events of a semaphore, by name. Each is published as well: docs/events.md has the channels. */
export interface SemaphoreEvents extends Pick<MembershipEvents, Shared> {
  /** A call may begin: it takes `cost` slots, for which it had waited `waitedMs`, 0 where they were there at once. */
  readonly grant: { readonly cost: number; readonly waitedMs: number };
  /**
   * A call that waited, or was refused, came out like this. Grants without a wait, and answers of no to `tryAcquire`,
   * are only counted: `status().calls`.
   */
  readonly decided: DecidedCall;
  /** The slots of a call were released, `heldMs` after they were granted. */
  readonly release: { readonly cost: number; readonly heldMs: number };
  /** The slots of a running call were lost, `heldMs` after they were granted: its signal has aborted. */
  readonly lost: { readonly cost: number; readonly heldMs: number };
  /** A call has held its slots for `maxHold`: its signal has aborted. It holds them until they are released. */
  readonly overdue: { readonly cost: number; readonly heldMs: number };
  /** The slots that this process holds have changed: `held` of them, of which `inUse` are in use. */
  readonly held: { readonly held: number; readonly inUse: number };
  /** More slots are held in the whole fleet than there are (`over`), so that no call begins; or no longer. */
  readonly over: { readonly over: boolean; readonly capacity: number };
  /**
   * A caller waits for more slots than its process is sure to get (`guaranteed`). A store with a queue gives it a turn
   * of its own; with another store it may wait for long.
   */
  readonly costly: { readonly cost: number; readonly guaranteed: number };
  /** `semaphore.cap` set another cap, or took it away (undefined). */
  readonly cap: { readonly cap: number | undefined };
  /** With `stored`: the limit in force is another one, by an answer of the store. It was `from`, and is `to`. */
  readonly limitChanged: { readonly from: number; readonly to: number };
  /** No successful sync for `validity`: open slots are lost, and no call begins. */
  readonly validityLost: { readonly silentMs: number };
  /**
   * A start failed that no caller waited for; it is tried again. `status().lastError` has the reason until a call to
   * the store succeeds.
   */
  readonly startFailed: { readonly error: unknown };
  /** A caller that still waited for `cost` slots left the queue after `waitedMs`: its time was up. */
  readonly timedOut: { readonly cost: number; readonly waitedMs: number };
  /** A caller was refused with `DT_QUEUE_FULL`, since `waiting` callers wait already. */
  readonly queueFull: { readonly waiting: number };
}

/** The name of a semaphore's event. */
export type SemaphoreEvent = keyof SemaphoreEvents;

const NAMES: Readonly<Record<SemaphoreEvent, true>> = {
  grant: true,
  decided: true,
  release: true,
  lost: true,
  overdue: true,
  held: true,
  over: true,
  costly: true,
  paused: true,
  cap: true,
  limitChanged: true,
  generation: true,
  validityLost: true,
  validityRegained: true,
  storeError: true,
  startFailed: true,
  timedOut: true,
  queueFull: true,
  forgotten: true,
  rejoined: true,
  stoodStill: true,
  fenced: true,
};

/** The events of one semaphore. */
export function semaphoreEvents(name: string, memberId: string): Events<SemaphoreEvents> {
  return new Events("semaphore", NAMES, { name, memberId });
}
