import { SlotShare, type SlotShareState } from "@dt/core/testing";

/** How long a slot above the water level is kept while others wait for one: within a tick it is, a tick later not. */
const TURN_MS = 100;

/** Core's own share of a member, of a store with a queue or without. */
export function newShare(max: number, hasQueue: boolean): SlotShare {
  return new SlotShare({ max, hasQueue, head: () => 0, isPushed: () => hasQueue, turnMs: () => TURN_MS });
}

/** The share in this state. */
export function shareOf(state: SlotShareState, hasQueue: boolean): SlotShare {
  const share = newShare(state.max, hasQueue);
  share.restore(state);
  return share;
}
