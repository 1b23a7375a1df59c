import type { MembershipEvents } from "../consensus/membership-events.ts";
import { Events } from "../internal/events.ts";
import type { DecidedCall } from "../internal/tally.ts";
import type { BlockedBy } from "./status.ts";

/** The events of a throttle, by name. Each is published as well: docs/events.md has the channels. */
export interface ThrottleEvents extends MembershipEvents {
  /**
   * This member's share of an epoch, when it differs from the last one: whole tokens, and the level of the whole
   * pool. `exact`: the shares of all members sum to that level.
   */
  readonly share: { readonly epoch: number; readonly tokens: number; readonly level: number; readonly exact: boolean };
  /** `throttle.cap` set another cap, or took it away (undefined); `level` is that of the whole pool from now on. */
  readonly cap: { readonly cap: number | undefined; readonly level: number };
  /** With `stored`: the limit in force is another one, by an answer of the store. It was `from`, and is `to`. */
  readonly limitChanged: { readonly from: number; readonly to: number };
  /**
   * Tokens were granted in an epoch, to a caller that had waited `waitedMs` for them: 0 where they were there at once.
   */
  readonly grant: { readonly epoch: number; readonly tokens: number; readonly waitedMs: number };
  /**
   * A call that waited, or was refused, came out like this. Grants without a wait, and answers of no to `tryAcquire`,
   * are only counted: `status().calls`.
   */
  readonly decided: DecidedCall;
  /**
   * A start failed that no caller waited for; it is tried again. `status().lastError` has the reason until a start
   * succeeds.
   */
  readonly startFailed: { readonly error: unknown };
  /** A caller that still waited for `tokens` left the queue after `waitedMs`: its time was up. */
  readonly timedOut: { readonly tokens: number; readonly waitedMs: number };
  /** A caller was refused with `DT_QUEUE_FULL`, since `waiting` callers wait already. */
  readonly queueFull: { readonly waiting: number };
  /**
   * There are no tokens, for another `reason` than that of the last event; or there are some again (`reason`
   * undefined). The throttle looks while callers wait, and with the first call of an epoch or after a sync. The fields
   * are those of `status().blockedBy`.
   */
  readonly blocked: BlockedBy | Served;
  /**
   * Unused tokens were given back, of the epoch they were granted in. `regrantable`: in that epoch, so that they can be
   * granted again; otherwise they only count as unused for the mode. The calls that an epoch may see are its grants
   * less its regrantable deposits.
   */
  readonly deposit: { readonly epoch: number; readonly tokens: number; readonly regrantable: boolean };
}

/** There are tokens again. */
export interface Served extends Omit<BlockedBy, "reason"> {
  readonly reason: undefined;
}

/** The name of a throttle's event. */
export type ThrottleEvent = keyof ThrottleEvents;

const NAMES: Readonly<Record<ThrottleEvent, true>> = {
  grant: true,
  decided: true,
  startFailed: true,
  timedOut: true,
  queueFull: true,
  blocked: true,
  deposit: true,
  paused: true,
  share: true,
  cap: true,
  limitChanged: true,
  generation: true,
  agreement: true,
  crowded: true,
  validityLost: true,
  validityRegained: true,
  storeError: true,
  forgotten: true,
  rejoined: true,
  stoodStill: true,
  fenced: true,
};

/** The events of one throttle. */
export function throttleEvents(name: string, memberId: string): Events<ThrottleEvents> {
  return new Events("throttle", NAMES, { name, memberId });
}
