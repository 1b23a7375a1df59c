import { DtError } from "@dt/core";
import { checkCall } from "@dt/core/internal";
import type { Ending } from "./ending.ts";
import { Handoff } from "./handoff.ts";
import { listenTo } from "./live-source.ts";
import type { CallFor, PipelineOptions, Source } from "./options.ts";
import { checkSource } from "./reader.ts";
import { Run } from "./run.ts";
import { checkPipelineOptions, type PipelineSettings } from "./settings.ts";
import type { PipelineStatus } from "./status.ts";

/**
 * Records on their way from a source through calls to outputs. Made by {@link throttled}. It is run once: by `run`, or
 * by a loop over its endings.
 */
export class Pipeline<Input = unknown, Result = unknown> implements AsyncIterable<Ending<Input, Result>> {
  readonly #run: Run<Input, Result>;
  #used = false;

  /** Use {@link throttled}. */
  constructor(source: Source<Input>, call: CallFor<Input, Result>, settings: PipelineSettings<Input, Result>) {
    this.#run = new Run(source, call, settings);
  }

  /**
   * Goes through the source. Resolves to the last status once every ending was taken, and every output is flushed and
   * closed. So it does when it was aborted: `state` shows it. Calls under way end and are written before it settles.
   * @throws the error of the source, of an output or of the checkpoint. The store's error when the store has failed for
   *   `patience`. `DT_STOPPED` when a part was stopped, or the pipeline was run already
   */
  async run(): Promise<PipelineStatus> {
    this.#use();
    return this.#run.run();
  }

  /**
   * The endings, as they come, beside the outputs. An ending counts as taken when the loop asks for the next, and no
   * more records are begun than that allows. Leaving the loop ends the run as an abort does. Throws what {@link run}
   * rejects with.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Ending<Input, Result>, void, void> {
    this.#use();
    const handoff = new Handoff<Input, Result>();
    const run = this.#run.run(handoff);
    run.then(
      () => handoff.close(),
      () => handoff.close(),
    );
    try {
      for (let ending = await handoff.next(); ending; ending = await handoff.next()) yield ending;
    } finally {
      handoff.close();
      this.#run.abort();
      await run;
    }
  }

  /** What is going on, as data. */
  status(): PipelineStatus {
    return this.#run.status();
  }

  #use(): void {
    if (this.#used) throw new DtError("DT_STOPPED", "the pipeline was run already; make a new one");
    this.#used = true;
  }
}

/**
 * Makes a pipeline that calls `call` for every record of `source`, as far as throttle, pacer, limit and rejection let
 * it. Each record goes with its ending to one of three outputs. Nothing is read before it is run, but that a source
 * that emits events is asked for its first record at once, so that none of them is lost.
 * @param source the records: an iterable, async or not, or a stream
 * @param call what is done with each record
 * @param options what holds calls back, and where the records go
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 * @example
 * const report = await throttled(records, (record) => send(record), {
 *   throttle,
 *   success: jsonlFile({ path: "sent.jsonl" }),
 * }).run();
 */
export function throttled<Input, Result>(
  source: Source<Input>,
  call: CallFor<Input, Result>,
  options: PipelineOptions<Input, Result> = {},
): Pipeline<Input, Result> {
  checkCall("call", call, "give a function of a record");
  const settings = checkPipelineOptions(options);
  return new Pipeline(listenTo(checkSource(source), settings.runtime), call, settings);
}
