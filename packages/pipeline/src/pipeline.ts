import type { Ending } from "./ending.ts";
import type { PipelineStatus } from "./status.ts";

/** Records on their way from a source through calls to outputs. Made by `throttled`. It is run once: by `run`, or by iterating over it. */
export interface Pipeline<Input = unknown, Result = unknown> extends AsyncIterable<Ending<Input, Result>> {
  /**
   * Goes through the source, and resolves to the last status once every ending was taken and every output is flushed and closed; also when it was aborted.
   * Rejects with what the source threw, with what an output rejected with, or with a DtError; calls under way end and are written before that.
   */
  run(): Promise<PipelineStatus>;
  /** What is going on, as data. */
  status(): PipelineStatus;
}
