/**
 * By how many ranks the split of an agreed pool moves on from one epoch to the next: a pure function of capacity and
 * member count, so that all members use the same one. The remainder of the division (all of a capacity below the pool
 * size) is a window of `capacity mod memberCount` ranks around a ring of `memberCount`. Moved by about its own width it
 * comes round to every rank in turn, and nobody waits longer than `2 memberCount / remainder` epochs; moved by one it
 * would leave each rank out for `memberCount - remainder` epochs on end. Coprime to the member count, so that every
 * rank gets its turns at every level, also where that leaves another remainder.
 */
export function strideOf(capacity: number, memberCount: number): number {
  const window = capacity % memberCount;
  if (window === 0) return 1;
  let nearest: number | undefined;
  for (let distance = 0; distance < memberCount; distance++)
    for (const stride of distance === 0 ? [window] : [window - distance, window + distance]) {
      if (stride < 1 || stride >= memberCount || greatestDivisor(memberCount, stride) !== 1) continue;
      if (comesRoundWithin((2 * memberCount) / window, window, stride, memberCount)) return stride;
      nearest ??= stride;
    }
  return nearest ?? 1;
}

/**
 * True when no rank is left out for more than `epochs` in a row. Seen from a rank in the window, the ring turns by
 * `stride` an epoch: the first epoch that takes it forward by less than the window, and the first that takes it back by
 * less, bring all ranks back between them; those that neither brings back need both (the three gap theorem).
 */
function comesRoundWithin(epochs: number, window: number, stride: number, memberCount: number): boolean {
  let [forward, back] = [0, 0];
  let [forwardBy, backBy] = [0, 0];
  for (let epoch = 1, at = stride; epoch <= epochs; epoch++, at = (at + stride) % memberCount) {
    if (forward === 0 && at < window) [forward, forwardBy] = [epoch, at];
    if (back === 0 && (memberCount - at) % memberCount < window)
      [back, backBy] = [epoch, (memberCount - at) % memberCount];
    if (forward > 0 && back > 0)
      return (forwardBy + backBy > window ? forward + back : Math.max(forward, back)) <= epochs;
  }
  return false;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
