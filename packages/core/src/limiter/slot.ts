/**
 * The right to have a call in flight. Release it in `finally`, or declare it with `using`. A slot that is never
 * released keeps its place in the limit.
 */
export interface Slot {
  /** How many slots of the limit it takes. */
  readonly cost: number;
  /**
   * Fires when the right is over although the slot was not released; its reason is a `DtError`. `DT_SLOT_LOST`: the
   * store was away for too long, or the limiter was stopped. `DT_SLOT_OVERDUE`: it was held for longer than `maxHold`.
   * End the call then. Made at the first look, so that a caller that never reads it pays nothing.
   */
  readonly signal: AbortSignal;
  /** True where the right ended before the slot was released: another process may have the slot by now. */
  readonly lost: boolean;
  /**
   * Gives the slot back. May be called again.
   * @example slot.release()
   */
  release(): void;
  /** The same as `release`: for `using`. */
  [Symbol.dispose](): void;
}
