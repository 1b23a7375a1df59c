import type { BucketLimit, DecidedCall, DtError } from "@dt/core";
import { Events } from "@dt/core/internal";
import type { LimitedBy } from "./check.ts";

/** The events of a keyed limit, and what each of them carries. */
export interface KeyedEvents {
  /** A call may go on: its key, its cost, and how long its caller waited, in milliseconds. */
  readonly grant: { readonly key: string; readonly cost: number; readonly waitedMs: number };
  /**
   * A call of a key that its limit made wait, or that was refused, came out like this. Grants that waited for the
   * store's answer alone, and answers of no to `check` and `tryAcquire`, are only counted: `status().calls`.
   */
  readonly decided: DecidedCall & { readonly key: string };
  /** A call was refused: what by, and after which time it is worth asking again, in milliseconds. */
  readonly refused: {
    readonly key: string;
    readonly cost: number;
    readonly limitedBy: LimitedBy | undefined;
    readonly retryAfterMs: number;
  };
  /** With `enforce: false`: a call went on that would have been refused, or would have waited. */
  readonly wouldRefuse: { readonly key: string; readonly cost: number; readonly limitedBy: LimitedBy | undefined };
  /** With `whenStoreLost: "allow"`: a call went on uncounted, since the store is away. */
  readonly unchecked: { readonly key: string; readonly cost: number; readonly error: DtError };
  /** A key that is used has another limit in the store than it had. */
  readonly limitChanged: { readonly key: string; readonly from: BucketLimit; readonly to: BucketLimit };
  /** The slot of a call that runs was lost. */
  readonly slotLost: { readonly key: string };
  /** A caller's time was up. */
  readonly timedOut: { readonly key: string; readonly waitedMs: number };
  /** A caller was refused, since `maxWaiters` of its key wait already. */
  readonly queueFull: { readonly key: string; readonly waiting: number };
  /** The store failed, or refused a key's request. */
  readonly storeError: { readonly error: DtError };
}

/** The name of an event of a keyed limit. */
export type KeyedEvent = keyof KeyedEvents;

const NAMES: Readonly<Record<KeyedEvent, true>> = {
  grant: true,
  decided: true,
  refused: true,
  wouldRefuse: true,
  unchecked: true,
  limitChanged: true,
  slotLost: true,
  timedOut: true,
  queueFull: true,
  storeError: true,
};

/** The events of the keyed limit of this name. */
export function keyedEvents(source: { readonly name: string }): Events<KeyedEvents> {
  return new Events<KeyedEvents>("keyed", NAMES, source);
}
