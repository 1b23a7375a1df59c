/** How long a call may take: its deadline is 1 s; a busy machine may take a while to say so. */
export const SETTLED_MS = 1_600;

/** How a promise settled, and how long that took. */
export interface Timed {
  readonly value?: unknown;
  readonly error?: unknown;
  readonly ms: number;
}

export async function timed(promise: Promise<unknown>): Promise<Timed> {
  const startMs = performance.now();
  try {
    const value = await promise;
    return { value, ms: performance.now() - startMs };
  } catch (error) {
    return { error, ms: performance.now() - startMs };
  }
}
