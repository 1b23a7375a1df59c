import type { DtError } from "../errors/dt-error.ts";
import { Events } from "../internal/events.ts";

/** Everything an operator would want to see of a pacer, by name. Each is published as well, as docs/events.md says. */
export interface PacerEvents {
  /** A caller went out with its permit, `lateMs` after its instant and `waitedMs` after it had asked. */
  readonly grant: { readonly cost: number; readonly lateMs: number; readonly waitedMs: number };
  /** A caller left the queue without a permit of this `cost` after `waitedMs`: its time was up, or would have been. */
  readonly timedOut: { readonly cost: number; readonly waitedMs: number };
  /** A caller was refused with `DT_QUEUE_FULL`, since `waiting` callers wait already. */
  readonly queueFull: { readonly waiting: number };
  /** An instant was not used: its holder woke `lateMs` after it, more than `permitTtl`, or nobody came for it. */
  readonly wasted: { readonly lateMs: number };
  /** The bound `maxReserved` is reached: callers wait for `retryAfterMs` before the store is asked again. */
  readonly refused: { readonly retryAfterMs: number; readonly waiting: number };
  /** A call to the store failed. With `reserve` those who waited for it fail with the same error. */
  readonly storeError: { readonly operation: "reserve" | "release" | "onHint"; readonly error: DtError };
}

export type PacerEvent = keyof PacerEvents;

const NAMES: Readonly<Record<PacerEvent, true>> = {
  grant: true,
  timedOut: true,
  queueFull: true,
  wasted: true,
  refused: true,
  storeError: true,
};

/** The events of one pacer. */
export function pacerEvents(name: string): Events<PacerEvents> {
  return new Events("pacer", NAMES, { name });
}
