import { invalidOption } from "@dt/core/internal";
import type { Source } from "./options.ts";

/** @throws DtError `DT_INVALID_OPTION` */
export function checkSource<Input>(source: Source<Input>): Source<Input> {
  const given = source as Partial<AsyncIterable<Input> & Iterable<Input>> | null | undefined;
  if (typeof given?.[Symbol.asyncIterator] === "function") return source;
  // A string is an iterable of characters, which nobody means.
  if (typeof given?.[Symbol.iterator] === "function" && typeof given !== "string") return source;
  throw invalidOption("source", source, "give an iterable, an async iterable, a Readable or a ReadableStream");
}

/**
 * Reads a source, one record after another; may be told to stop while a read is under way, which an idle source never
 * answers.
 */
export class Reader<Input> {
  readonly #iterator: AsyncIterator<Input> | Iterator<Input>;
  /** The first record, until it was handed out. */
  #first: Promise<IteratorResult<Input>> | undefined;
  #firstIsThere = true;
  #giveUp: (() => void) | undefined;
  #ended = false;
  #closing: Promise<void> | undefined;

  /**
   * Asks an async source for its first record at once: only then does a generator, or a stream, listen to what it
   * reads.
   */
  constructor(source: Source<Input>) {
    const both = source as Partial<AsyncIterable<Input> & Iterable<Input>>;
    const iterator = both[Symbol.asyncIterator]?.();
    this.#iterator = iterator ?? (both[Symbol.iterator]?.() as Iterator<Input>);
    if (iterator === undefined) return;
    const isThere = (): void => {
      this.#firstIsThere = true;
    };
    this.#firstIsThere = false;
    this.#first = (async () => iterator.next())();
    this.#first.then(isThere, isThere);
  }

  /** The next record; undefined at the end, and when it was told to stop. Rejects with what the source throws. */
  async next(): Promise<{ readonly input: Input } | undefined> {
    if (this.#ended) return undefined;
    let result: IteratorResult<Input> | undefined;
    try {
      const answer = this.#first ?? this.#iterator.next();
      this.#first = undefined;
      result = "then" in answer ? await this.#unlessStopped(answer) : answer;
    } catch (error) {
      // Whoever has thrown is not asked to close.
      this.#ended = true;
      throw error;
    }
    if (result === undefined) return undefined;
    if (result.done === true) this.#ended = true;
    return result.done === true ? undefined : { input: result.value };
  }

  /**
   * Closes the source, unless it has ended. Resolves when that is done; at once where a read was under way, since a
   * source closes only after that.
   */
  stop(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const waiting = this.#giveUp;
    if (this.#ended) return;
    this.#ended = true;
    waiting?.();
    // What goes wrong in closing loses nothing: every record that was read is known.
    const closed = (async () => this.#iterator.return?.())().catch(() => undefined);
    if (waiting === undefined && this.#firstIsThere) await closed;
  }

  /** Not a race with one lasting promise, which would keep something of every record. */
  async #unlessStopped<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      return await new Promise<T | undefined>((resolve, reject) => {
        this.#giveUp = () => resolve(undefined);
        answer.then(resolve, reject);
      });
    } finally {
      this.#giveUp = undefined;
    }
  }
}
