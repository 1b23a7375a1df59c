import type { Writable } from "node:stream";
import { invalidOption } from "@dt/core/internal";
import type { Ending } from "../ending.ts";
import type { Output, Sink } from "./sink.ts";
import { writableSink } from "./writable-sink.ts";

/**
 * The sink that was given, or made of what was given.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function toSink<Input, Result>(option: string, given: Output<Input, Result>): Sink<Input, Result> {
  if (typeof given === "function") return new FunctionSink(given);
  const { write, once, getWriter } = (given ?? {}) as Partial<Writable & WritableStream>;
  if (typeof getWriter === "function") return webSink(given as WritableStream);
  if (typeof write === "function")
    return typeof once === "function" ? writableSink(given as Writable) : (given as Sink<Input, Result>);
  throw invalidOption(
    option,
    given,
    "give a sink such as jsonlFile({ path }), a Writable, a WritableStream or a function",
  );
}

/** A function that is called with each ending; several of its promises may be open at once. */
class FunctionSink<Input, Result> implements Sink<Input, Result> {
  readonly #write: (ending: Ending<Input, Result>) => unknown;

  constructor(write: (ending: Ending<Input, Result>) => unknown) {
    this.#write = write;
  }

  async write(ending: Ending<Input, Result>): Promise<void> {
    await this.#write(ending);
  }
}

/** A web stream as a sink: it is given the endings themselves. It waits until the stream is ready for more. */
function webSink<Input, Result>(stream: WritableStream): Sink<Input, Result> {
  return new WebSink(stream);
}

class WebSink<Input, Result> implements Sink<Input, Result> {
  readonly #writer: WritableStreamDefaultWriter;
  /** Settles with the newest write, and with it all that came before. */
  #written: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(stream: WritableStream) {
    this.#writer = stream.getWriter();
    // Whoever writes next hears of a failure; nobody need be waiting when it happens.
    this.#writer.closed.catch(() => {});
  }

  async write(ending: Ending<Input, Result>): Promise<void> {
    this.#written = this.#writer.write(ending);
    this.#written.catch(() => {});
    await this.#writer.ready;
  }

  flush(): Promise<void> {
    return this.#written;
  }

  close(): Promise<void> {
    this.#closing ??= this.#writer.close();
    return this.#closing;
  }
}
