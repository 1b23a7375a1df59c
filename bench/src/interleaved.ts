/**
 * Measures every candidate once per round, A B C A B C, so that a slow minute of the machine hits all of them, and
 * starts each round one further, so that nobody always comes first.
 *
 * @returns for each candidate its measurements, one per round
 */
export async function interleaved<C, M>(
  candidates: readonly C[],
  rounds: number,
  measure: (candidate: C, round: number) => Promise<M>,
): Promise<M[][]> {
  const measurements: M[][] = candidates.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < candidates.length; i++) {
      const index = (i + round) % candidates.length;
      measurements[index]?.push(await measure(candidates[index] as C, round));
    }
  }
  return measurements;
}
