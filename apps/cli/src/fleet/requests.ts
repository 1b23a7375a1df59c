/** Requests of a report at the same time, where nothing else is asked for. */
export const CONCURRENCY = 16;

/** The requests that a report makes: counted and timed. */
export class Requests {
  readonly signal: AbortSignal | undefined;
  #count = 0;
  #totalMs = 0;
  #maxMs = 0;
  #answered = 0;
  #failure: unknown;

  constructor(signal: AbortSignal | undefined) {
    this.signal = signal;
  }

  /** Makes one request, and counts it also where it fails. */
  async time<T>(ask: (signal: AbortSignal | undefined) => Promise<T>): Promise<T> {
    const startMs = performance.now();
    try {
      const answer = await ask(this.signal);
      this.#answered += 1;
      return answer;
    } catch (error) {
      this.#failure ??= error;
      throw error;
    } finally {
      const tookMs = performance.now() - startMs;
      this.#count += 1;
      this.#totalMs += tookMs;
      this.#maxMs = Math.max(this.#maxMs, tookMs);
    }
  }

  /** The first error, where the store has answered nothing at all; otherwise undefined. */
  get failure(): unknown {
    return this.#answered === 0 ? this.#failure : undefined;
  }

  /** How many there were, and how long they took, in milliseconds. */
  get summary(): { readonly count: number; readonly meanMs: number; readonly maxMs: number } {
    return { count: this.#count, meanMs: this.#count === 0 ? 0 : this.#totalMs / this.#count, maxMs: this.#maxMs };
  }
}

/** Runs a task for each item, so many at the same time; the results are in the order of the items. */
export async function each<T, R>(
  items: readonly T[],
  concurrency: number,
  run: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = new Array(items.length);
  const left = items.entries();
  const worker = async (): Promise<void> => {
    for (const [at, item] of left) results[at] = await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  return results;
}
