import { checkDuration, checkInteger, checkKeys, checkSignal, invalidOption } from "../internal/check.ts";
import type { Duration } from "../internal/duration.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { whenAborted } from "./when-aborted.ts";

/** Options of `batches`. */
export interface BatchOptions {
  /**
   * Most items in a batch.
   * @default 100
   */
  readonly size?: number | undefined;
  /**
   * How long to wait for further items once the first is there, before the batch goes out smaller.
   * @default 10 ms
   */
  readonly linger?: Duration | undefined;
  /**
   * Ends the waiting, for an item or for admission, with the signal's reason.
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
}

const BATCH_OPTIONS: ReadonlySet<string> = new Set<keyof BatchOptions>(["size", "linger", "signal"]);

/** A batch that may be filled. */
export interface Admitted {
  /** Most items that it may have. */
  readonly size: number;
  /** Called once it is full, or nothing more came; it goes out when this is done. */
  goesOut(items: number): Promise<void> | void;
}

/**
 * Batches as they are admitted. The first item is awaited before a batch is asked for, so that an idle source costs
 * nothing. What was read before the source fails still goes out; then its error is thrown. One item is read ahead at
 * most. What was read is dropped when the loop is left, or a batch is not admitted, before it went out.
 */
export async function* batches<T>(
  admit: (size: number, signal: AbortSignal | undefined) => Promise<Admitted>,
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
      options.signal?.throwIfAborted();
      const first = await orAborted(read(), options.signal);
      if (first.done) return;
      pending = undefined;
      const admitted = await admit(size, options.signal);
      const batch = [first.value];
      let ended = false;
      while (batch.length < admitted.size && !ended) {
        const next = await within(runtime, read(), lingerMs);
        if (next === undefined) break;
        pending = undefined;
        if (next.done) ended = true;
        else batch.push(next.value);
      }
      await admitted.goesOut(batch.length);
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

/** The same, unless the signal, which has not aborted yet, does so first. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stopListening = whenAborted(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(stopListening);
  });
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
