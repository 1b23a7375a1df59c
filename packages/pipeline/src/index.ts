export type { RecordTracker } from "./checkpoint/record-tracker.ts";
export type { Ending, Failed, Success, Throttled } from "./ending.ts";
export type { CallContext, PipelineOptions, Rejected, Source } from "./options.ts";
export type { Pipeline } from "./pipeline.ts";
export type { Output, Sink } from "./sinks/sink.ts";
export type { PipelineStatus } from "./status.ts";
