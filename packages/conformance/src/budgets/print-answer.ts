import type { SpendAnswer } from "@dt/core";

/** An answer to `spend` as text, to the last digit. */
export function printSpendAnswer(answer: SpendAnswer): string {
  const { granted, atMs, waitMs, limitedBy, pausedForMs, rests, storeTimeMs } = answer;
  const wait = `${granted ? `granted for ${atMs}, in` : "not granted, due in"} ${waitMs} ms`;
  const why = limitedBy === undefined ? "" : ` (limited by ${limitedBy})`;
  const pause = pausedForMs === 0 ? "" : `, paused for ${pausedForMs} ms`;
  return `${wait}${why}${pause}, rests ${JSON.stringify(rests)}, at ${storeTimeMs}`;
}
