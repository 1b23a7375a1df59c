import type { Writable } from "node:stream";
import { checkKeys, invalidOption } from "@dt/core/internal";
import type { Ending } from "../ending.ts";
import { jsonOf, letterOf, type Shape } from "./letter.ts";
import type { Sink } from "./sink.ts";

/** Options of {@link writableSink}. */
export interface WritableOptions<Input = unknown, Result = unknown> {
  /**
   * What is written of an ending.
   * @default what the call returned, or `{ input, error }`; the ending itself where the stream takes objects
   */
  readonly line?: Shape<Input, Result>;
  /**
   * Whether the stream is ended with the sink.
   * @default true, except for stdout and stderr
   */
  readonly end?: boolean;
}

const KNOWN: ReadonlySet<string> = new Set<keyof WritableOptions>(["line", "end"]);

/**
 * A Node stream as a sink: each ending becomes one line of JSON, or an object where the stream takes objects. It waits
 * for `drain` when the stream is full.
 * @param stream where the lines go
 * @param options what a line is made of
 * @throws DtError `DT_INVALID_OPTION`
 * @example const sink = writableSink(process.stdout);
 */
export function writableSink<Input, Result>(
  stream: Writable,
  options: WritableOptions<Input, Result> = {},
): Sink<Input, Result> {
  checkKeys("options", options, KNOWN);
  if (typeof stream?.write !== "function" || typeof stream.once !== "function")
    throw invalidOption("stream", stream, "give a Writable of Node");
  const whole: Shape<Input, Result> = (ending) => ending;
  const { line = stream.writableObjectMode ? whole : letterOf } = options;
  const { end = stream !== process.stdout && stream !== process.stderr } = options;
  if (typeof line !== "function") throw invalidOption("line", line, "give a function of an ending");
  if (typeof end !== "boolean") throw invalidOption("end", end, "give true or false");
  return new WritableSink(stream, line, end);
}

class WritableSink<Input, Result> implements Sink<Input, Result> {
  readonly #stream: Writable;
  readonly #line: Shape<Input, Result>;
  readonly #end: boolean;
  /** Called when the stream can take more, has written something, or has failed. */
  readonly #waiting = new Set<() => void>();
  readonly #listeners: readonly (readonly [string, (error?: unknown) => void])[] = [
    ["error", (error) => this.#fail(error)],
    [
      "close",
      () => {
        if (!this.#stream.writableFinished) this.#fail(new Error("the stream was closed before its end"));
      },
    ],
    ["drain", () => this.#wake()],
  ];
  #unwritten = 0;
  #failure: { readonly error: unknown } | undefined;
  #closed = false;

  constructor(stream: Writable, line: Shape<Input, Result>, end: boolean) {
    this.#stream = stream;
    this.#line = line;
    this.#end = end;
    for (const [event, listener] of this.#listeners) stream.on(event, listener);
  }

  async write(ending: Ending<Input, Result>): Promise<void> {
    this.#refuse();
    const value = this.#line(ending);
    const chunk = this.#stream.writableObjectMode ? value : `${jsonOf(value, ending)}\n`;
    this.#unwritten += 1;
    this.#stream.write(chunk, (error) => {
      this.#unwritten -= 1;
      if (error) this.#fail(error);
      else if (this.#unwritten === 0) this.#wake();
    });
    await this.#until(() => !this.#stream.writableNeedDrain);
  }

  async flush(): Promise<void> {
    await this.#until(() => this.#unwritten === 0);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.flush();
    if (this.#end) {
      this.#stream.end(() => this.#wake());
      await this.#until(() => this.#stream.writableFinished);
    }
    // A stream such as stdout lives longer than its sinks. One that failed keeps them: it may say so more than once.
    for (const [event, listener] of this.#listeners) this.#stream.off(event, listener);
  }

  async #until(isSo: () => boolean): Promise<void> {
    for (;;) {
      this.#refuse();
      if (isSo()) return;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #refuse(): void {
    if (this.#failure) throw this.#failure.error;
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}
