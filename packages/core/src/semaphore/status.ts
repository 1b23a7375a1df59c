import type { DtError } from "../errors/dt-error.ts";
import type { LimiterStatus } from "../limiter/limiter-status.ts";

/** A semaphore at one instant, as data. */
export interface SemaphoreStatus extends LimiterStatus {
  /** The limiter's kind. */
  readonly kind: "semaphore";
  /** Where it is between its start and its end. */
  readonly state: "idle" | "starting" | "running" | "draining" | "stopping" | "stopped" | "fenced";
  /** This member's id, unique among the members. */
  readonly memberId: string;
  /** The limit configured here, in slots of the fleet: with `stored` the code's value, which need not count. */
  readonly max: number;
  /** True where the limit lives in the store. */
  readonly stored: boolean;
  /**
   * The group's limit: the smallest `max` of a live member, and at most the limit in the store; 0 before the first
   * answer.
   */
  readonly capacity: number;
  /** Live members of the group. */
  readonly members: number;
  /** Slots that this process holds. */
  readonly held: number;
  /** Slots that its calls take. */
  readonly inUse: number;
  /** The most slots that a member is due: the max-min water level where slots are scarce, otherwise the capacity. */
  readonly waterLevel: number;
  /** True while this process waits for slots in the queue of the store, by its last report. */
  readonly isQueued: boolean;
  /** True while more slots are held in the whole fleet than there are, as far as this process knows. */
  readonly over: boolean;
  /**
   * True while the group grants no slots, since it is new on a store that can lose its data. It ends `learning` after
   * the group began.
   */
  readonly learning: boolean;
  /** True while the slots of this process may be used. */
  readonly valid: boolean;
  /** How much longer they may be used without another successful sync, in milliseconds. */
  readonly validForMs: number;
  /** For how much longer the fleet is paused, in milliseconds, as far as this process knows; 0 while it is not. */
  readonly pausedForMs: number;
  /** What `semaphore.cap` set; undefined for no cap. */
  readonly cap: number | undefined;
  /** Calls whose slots were lost so far. */
  readonly lost: number;
  /** Calls that held their slots for longer than `maxHold` so far. */
  readonly overdue: number;
  /** Why the last call to the store failed; undefined after a success. */
  readonly lastError: DtError | undefined;
}
