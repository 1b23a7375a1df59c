import { checkDuration, checkInteger, checkKeys, checkSignal, invalidOption } from "../kit/check.ts";
import type { Duration } from "../kit/duration.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Grant } from "./grants.ts";

/** Options of `throttle.batches`. */
export interface BatchOptions {
  /** Most items in a batch. Default 100. */
  readonly size?: number;
  /** How long to wait for further items once the first is there, before the batch goes out smaller. Default 10 ms. */
  readonly linger?: Duration;
  /** Ends the waiting for tokens with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const BATCH_OPTIONS: ReadonlySet<string> = new Set<keyof BatchOptions>(["size", "linger", "signal"]);

interface TokenSource {
  acquireGrant(n: number, options?: { readonly signal?: AbortSignal | undefined }): Promise<Grant>;
}

/**
 * Batches of at most what is granted. The first item is awaited before tokens are asked for, so that an idle source costs none; what was granted and
 * not read is given back before the batch goes out, to be granted again if its epoch still lasts. What was read before the source fails still goes out; then its error is thrown. One item is read ahead
 * at most: it is dropped when the loop is left, or `acquire` rejects, before it went out.
 */
export async function* batches<T>(
  throttle: TokenSource,
  runtime: Runtime,
  source: AsyncIterable<T> | Iterable<T>,
  options: BatchOptions = {},
): AsyncGenerator<T[], void, void> {
  checkKeys("options", options, BATCH_OPTIONS);
  checkSignal(options.signal);
  const size = checkInteger("size", options.size ?? 100, 1);
  const lingerMs = checkDuration("linger", options.linger ?? 10, 0);
  const iterator = iteratorOf(source);
  let pending: Promise<IteratorResult<T>> | undefined;
  const read = (): Promise<IteratorResult<T>> => {
    // Within an async function, so that an iterator that throws is told of by the promise as well.
    pending ??= (async () => iterator.next())();
    return pending;
  };
  try {
    for (;;) {
      const first = await read();
      if (first.done) return;
      pending = undefined;
      const grant = await throttle.acquireGrant(size, { signal: options.signal });
      const batch = [first.value];
      let ended = false;
      while (batch.length < grant.tokens && !ended) {
        const next = await within(runtime, read(), lingerMs);
        if (next === undefined) break;
        pending = undefined;
        if (next.done) ended = true;
        else batch.push(next.value);
      }
      grant.deposit(grant.tokens - batch.length);
      yield batch;
      if (ended) return;
    }
  } finally {
    const closed = Promise.resolve(iterator.return?.());
    // An async generator closes only after the read under way, and an idle source may never answer that one.
    if (pending) closed.catch(() => undefined);
    else await closed;
  }
}

function iteratorOf<T>(source: AsyncIterable<T> | Iterable<T>): AsyncIterator<T> | Iterator<T> {
  const iterable = source as Partial<AsyncIterable<T> & Iterable<T>> | null | undefined;
  const iterator = iterable?.[Symbol.asyncIterator]?.() ?? iterable?.[Symbol.iterator]?.();
  if (iterator === undefined) throw invalidOption("source", source, "give an iterable or an async iterable");
  return iterator;
}

/** The value, or undefined when it takes longer than `ms` or fails; who waits for the same promise next is told why. */
async function within<T>(runtime: Runtime, promise: Promise<T>, ms: number): Promise<T | undefined> {
  let cancel = (): void => undefined;
  const late = new Promise<undefined>((resolve) => {
    const timer = runtime.setTimer(() => resolve(undefined), ms);
    cancel = () => timer.cancel();
  });
  try {
    return await Promise.race([promise.catch(() => undefined), late]);
  } finally {
    cancel();
  }
}
