/**
 * True when `epoch` is to be begun after `current`. Epochs never go back, whatever is learned about the store's clock,
 * but for once: `learnedClock` says that those so far were the local clock's.
 */
export function beginsEpoch(epoch: number, current: number, learnedClock: boolean): boolean {
  return epoch > current || learnedClock;
}
