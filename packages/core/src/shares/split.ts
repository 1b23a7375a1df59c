/**
 * Who owns which token (docs/protocol.md, "Turns"). Among `memberCount` members that agree, token `k` of an
 * epoch belongs to rank `(k + stride * epoch) mod memberCount`: nothing is lost to rounding, the remainder rotates, and
 * a limit smaller than the group starves nobody; with the stride of `stride.ts` nobody waits long for a turn. Ownership
 * does not depend on the level: a larger level only adds tokens, so members on different levels never own the same one.
 */

/** The number of the first token that `rank` owns in `epoch`. */
export function firstToken(rank: number, epoch: number, memberCount: number, stride: number): number {
  return (((rank - stride * (epoch % memberCount)) % memberCount) + memberCount) % memberCount;
}

/** How many of the tokens 0..tokens-1 of `epoch` belong to `rank`. */
export function ownedTokens(tokens: number, rank: number, epoch: number, memberCount: number, stride: number): number {
  const first = firstToken(rank, epoch, memberCount, stride);
  return first >= tokens ? 0 : Math.floor((tokens - 1 - first) / memberCount) + 1;
}
