import { DtError, type Runtime } from "@dt/core";
import type { Source } from "./options.ts";

/** What of a Node EventEmitter is used. */
interface Emitter {
  on(event: "error", listener: (error: unknown) => void): unknown;
  off(event: "error", listener: (error: unknown) => void): unknown;
  listenerCount?(event: "error"): number;
}

/**
 * The same source. One that emits events (a readline interface, a Readable) is asked for its first record now and so is
 * listened to: what it emits before the pipeline is run is kept, and an error that nothing else listens to fails the
 * read.
 */
export function listenTo<Input>(source: Source<Input>, runtime: Runtime): Source<Input> {
  return isEmitter(source) && Symbol.asyncIterator in source ? new LiveSource(source, runtime) : source;
}

function isEmitter(given: unknown): given is Emitter {
  const { on, off } = (given ?? {}) as Partial<Emitter>;
  return typeof on === "function" && typeof off === "function";
}

/** An emitter that is being listened to, and its one iterator. */
class LiveSource<Input> implements AsyncIterableIterator<Input> {
  readonly #runtime: Runtime;
  /** How to listen no more. */
  readonly #leave: () => void;
  readonly #iterator: AsyncIterator<Input>;
  /** Until it was handed out. */
  #first: Promise<IteratorResult<Input>> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #fail: ((error: unknown) => void) | undefined;

  constructor(source: Emitter & AsyncIterable<Input>, runtime: Runtime) {
    this.#runtime = runtime;
    const { input, closed } = source as { readonly input?: unknown; readonly closed?: unknown };
    const isLines = isEmitter(input);
    // Others that listen are told, and the iterator is, if it is one of them.
    const left = [this.#listen(source, () => (source.listenerCount?.("error") ?? 1) === 1)];
    // A readline interface neither passes an error of its input on nor ends with it.
    if (isLines) left.push(this.#listen(input, () => true));
    this.#leave = () => {
      for (const leave of left) leave();
    };
    // One that was closed never says that it has ended.
    if (isLines && closed === true) this.#failure = { error: closedBefore() };
    this.#iterator = source[Symbol.asyncIterator]();
    // Many an iterator listens only when it is asked, and the output of a child process is dropped at its end
    // otherwise.
    this.#first = this.#ask();
    this.#first.catch(() => undefined);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Input>> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#ask();
  }

  #ask(): Promise<IteratorResult<Input>> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      this.#iterator.next().then((result) => {
        if (result.done) this.#leave();
        resolve(result);
      }, reject);
      if (this.#failure) this.#failSoon(this.#failure.error);
    });
  }

  async return(): Promise<IteratorResult<Input>> {
    await this.#iterator.return?.();
    this.#leave();
    return { done: true, value: undefined };
  }

  #listen(emitter: Emitter, isOurs: () => boolean): () => void {
    const onError = (error: unknown): void => {
      if (!isOurs()) return;
      this.#failure ??= { error };
      this.#failSoon(error);
    };
    emitter.on("error", onError);
    return () => emitter.off("error", onError);
  }

  /** What was emitted before the error is given first: it is there within the same turn. */
  #failSoon(error: unknown): void {
    const fail = this.#fail;
    this.#runtime.setTimer(() => fail?.(error), 0);
  }
}

function closedBefore(): DtError {
  const problem = "source: the readline interface was closed before the pipeline was made, and its lines are lost";
  return new DtError(
    "DT_INVALID_OPTION",
    `${problem}; make it in the same step as the pipeline, without an await between`,
  );
}
