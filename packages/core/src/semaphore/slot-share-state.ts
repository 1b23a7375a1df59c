import type { DemandView } from "../contract/demand.ts";
import type { SlotWantState } from "./slot-want.ts";

/** What a share needs to know of its surroundings. */
export interface SlotShareOptions {
  readonly max: number;
  /** True where the limit lives in the store: `max` is the code's value then. Default false. */
  readonly stored?: boolean;
  /** True where the store keeps the queue of the semaphore (R28 to R34). */
  readonly hasQueue: boolean;
  /** True while the store's hints reach this member. */
  readonly isPushed: () => boolean;
  /** Slots that the first caller waits for; 0 where no caller waits. */
  readonly head: () => number;
  /** How long a slot above the water level is kept while others wait for one, in milliseconds. */
  readonly turnMs: () => number;
}

/** What a report says of the share. */
export interface SlotReport {
  readonly seq: number;
  readonly held: number;
  readonly max: number;
  readonly isRegistration: boolean;
  /** The end of the pause that it asks for. */
  readonly pause?: number | undefined;
}

/** All that a share knows, as a value; the fields are those of `SlotShare`. */
export interface SlotShareState {
  readonly max: number;
  readonly code: number;
  readonly held: number;
  readonly inUse: number;
  readonly waiting: number;
  readonly cap: number;
  readonly validUntilMs: number;
  readonly pausedUntilMs: number;
  readonly isMember: boolean;
  readonly isClosed: boolean;
  readonly over: boolean;
  readonly capacity: number;
  readonly members: number;
  readonly isWanted: boolean;
  readonly idleSinceMs: number | undefined;
  readonly want: SlotWantState;
  readonly demand: DemandView;
  readonly usable: number;
  readonly asked: number;
  readonly wasAsked: boolean;
  readonly hintedLevel: number;
  readonly offered: { readonly seq: number; readonly held: number } | undefined;
  readonly isUnsure: boolean;
  readonly turnSinceMs: number;
}
