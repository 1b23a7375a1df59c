/** The mean of the tokens that a call puts out, where nothing bounds it. */
export const MEAN_OUTPUT = 50;

/**
 * Draws how many tokens a call puts out: most few, a few many.
 * @param most the most that the call allows
 * @param random gives numbers in [0, 1)
 */
export function drawOutput(most: number, random: () => number): number {
  return Math.min(most, Math.max(1, Math.ceil(-MEAN_OUTPUT * Math.log(1 - random()))));
}
