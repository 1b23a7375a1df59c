import type { PermitLimit } from "../contract/permit-ledger.ts";
import type { DtError } from "../errors/dt-error.ts";
import { Events } from "../internal/events.ts";
import type { DecidedCall } from "../internal/tally.ts";

/** The events of a pacer, by name. Each is published on a channel, too: see docs/events.md. */
export interface PacerEvents {
  /** A caller went out with its permit, `lateMs` after its instant and `waitedMs` after it had asked. */
  readonly grant: { readonly cost: number; readonly lateMs: number; readonly waitedMs: number };
  /**
   * A call that the limit made wait, or that got no permit, came out like this. Permits that were free when the store
   * answered, and answers of no to `tryAcquire`, are only counted: `status().calls`.
   */
  readonly decided: DecidedCall;
  /** A caller left without a permit of this `cost` after `waitedMs`: its time was up, or would have been. */
  readonly timedOut: { readonly cost: number; readonly waitedMs: number };
  /** A caller was refused with `DT_QUEUE_FULL`, since `waiting` callers wait already. */
  readonly queueFull: { readonly waiting: number };
  /**
   * An instant was not used: its holder woke `lateMs` after it, more than `permitTtl`, or no caller was left for it.
   */
  readonly wasted: { readonly lateMs: number };
  /** The bound `maxReserved` is reached: callers wait for `retryAfterMs` before the store is asked again. */
  readonly refused: { readonly retryAfterMs: number; readonly waiting: number };
  /** A pause began or became longer, here or in another process: no permit is used for `forMs` from now on. */
  readonly paused: { readonly forMs: number };
  /** Another limit is in force, by an answer of the store, where it lives: it was `from`, and is `to`. */
  readonly limitChanged: { readonly from: PermitLimit; readonly to: PermitLimit };
  /** A call to the store failed. With `reserve` the callers that waited for it fail with the same error. */
  readonly storeError: { readonly operation: "reserve" | "release" | "onHint"; readonly error: DtError };
}

/** The events of a grouped pacer: those of a pacer, which are of the own site, and `stolen`. */
export interface GroupedPacerEvents extends PacerEvents {
  /**
   * A caller went out with a permit of another `site`, `lateMs` after its instant and `waitedMs` after it had asked.
   */
  readonly stolen: PacerEvents["grant"] & { readonly site: string };
}

/** The name of an event of a pacer. */
export type PacerEvent = keyof PacerEvents;

/** The name of an event of a grouped pacer. */
export type GroupedPacerEvent = keyof GroupedPacerEvents;

const NAMES: Readonly<Record<PacerEvent, true>> = {
  grant: true,
  decided: true,
  timedOut: true,
  queueFull: true,
  wasted: true,
  refused: true,
  paused: true,
  limitChanged: true,
  storeError: true,
};

/** The events of one pacer. */
export function pacerEvents(source: { readonly name: string }): Events<PacerEvents> {
  return new Events("pacer", NAMES, source);
}

/** The events of one grouped pacer. */
export function groupedPacerEvents(source: {
  readonly name: string;
  readonly site: string;
}): Events<GroupedPacerEvents> {
  return new Events<GroupedPacerEvents>("pacer", { ...NAMES, stolen: true }, source);
}
