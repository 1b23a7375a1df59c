const MOST_TIMES = 32;

/**
 * A short run that has measured something. On a slow machine it may end before the first call: it is then made anew,
 * for twice as long each time, up to 32 times.
 *
 * @param run given how many times as long as at first it is to be
 * @returns the last run, which may have measured nothing all the same
 */
export async function longEnough<F>(
  run: (factor: number) => Promise<F>,
  isMeasured: (figures: F) => boolean,
): Promise<F> {
  for (let factor = 1; ; factor *= 2) {
    const figures = await run(factor);
    if (factor === MOST_TIMES || isMeasured(figures)) return figures;
  }
}
