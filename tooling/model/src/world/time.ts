/**
 * Time in ticks. An epoch has two: in the first, around its start and within the clock error of it, a member may count
 * in this epoch or still in the one before; in the second everybody counts in this one. The store's clock is read in
 * the middle of a tick.
 */
export const INTERVAL_MS = 1_000;
export const CLOCK_ERROR_MS = 250;
export const TICK_MS = INTERVAL_MS / 2;
/**
 * What members that share by demand give as their sync interval: so short that hunger is over a tick later, and so is
 * the rest after an odd token's turn.
 */
export const SYNC_MS = 100;

/**
 * Tick 0 of every run. A multiple of 12, so that epoch numbers modulo 2 and 3 begin at 0; late enough that a generation
 * made from the time is a new one.
 */
export const FIRST_TICK = 240;

/** The store's clock in a tick: 125 ms before the epoch's start, or 375 ms after it. */
export function storeMs(tick: number): number {
  return tick * TICK_MS - 125;
}

/** The newest epoch that a member may count in. */
export function newestEpoch(tick: number): number {
  return Math.floor(tick / 2);
}

/** The oldest epoch that a member may count in. */
export function oldestEpoch(tick: number): number {
  return Math.floor((tick - 1) / 2);
}
