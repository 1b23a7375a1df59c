/** Steps of promises between an answer and the code that waits for it: two with a plain call, more through `wrap` and `batches`. This is more than any takes. */
const STEPS = 16;

/**
 * Lets those go on first who have just been answered. To be called before a store is asked: SQLite's works in place, and until it is done they would stand still, with a
 * permit that grows old.
 */
export async function answeredFirst(): Promise<void> {
  for (let step = 0; step < STEPS; step++) await undefined;
}
