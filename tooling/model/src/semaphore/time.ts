/** A tick: longer than all that the queue and a member measure within a stale age, but for the time in the queue. */
export const TICK_MS = 2_000;

/** Every run begins at this time, on all clocks. */
const FIRST_MS = 1_000_000;

/** The time in a tick, on all clocks. */
export function msOf(tick: number): number {
  return FIRST_MS + tick * TICK_MS;
}
