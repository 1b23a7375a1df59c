import type { Ending } from "../ending.ts";
import type { Sink } from "./sink.ts";

/** A web stream as a sink: it is given the endings themselves. It waits until the stream is ready for more. */
export function webSink<Input, Result>(stream: WritableStream): Sink<Input, Result> {
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
