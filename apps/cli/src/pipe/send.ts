import { type Checkpoint, jsonlFile, type Pipeline, type PipelineStatus, type Sink, throttled } from "@dt/pipeline";
import { BadLine } from "./bad-line.ts";
import { type Counts, NONE, sumOf, totalOf } from "./counts.ts";
import { httpCaller } from "./http-call.ts";
import type { Limits } from "./limits.ts";
import { showProgress } from "./progress.ts";
import { type Position, recordsOf } from "./records.ts";
import type { PipeSettings } from "./settings.ts";
import type { ByteSource } from "./source.ts";
import type { Summary } from "./summary.ts";

const BEGINNING: Position = { records: 0, bytes: 0 };

/**
 * Sends what the source holds and the checkpoint does not have yet. Resolves also when it had to give up.
 * @param signal ends it in order
 */
export async function send(
  settings: PipeSettings,
  source: ByteSource,
  checkpoint: Checkpoint | undefined,
  limits: Limits,
  signal: AbortSignal,
): Promise<Summary> {
  const { reading, outputs, timeoutMs, request } = settings;
  const earlier = (checkpoint?.notes as Counts | undefined) ?? NONE;
  let position = source.seekable && checkpoint ? checkpoint.position : BEGINNING;
  const all = recordsOf(source.open(position.bytes), position, reading, (end) => {
    position = end;
  });
  const records = checkpoint ? checkpoint.resume(all, source.seekable ? () => position : undefined) : all;
  const caller = httpCaller(timeoutMs);
  const pipeline = throttled(records, (record) => caller.call(request(record)), {
    ...optionsOf(settings, limits),
    ...(checkpoint ? { checkpoint } : {}),
    signal,
  });
  const total = (): Counts => sumOf(earlier, countsOf(pipeline.status()));
  if (checkpoint) checkpoint.notes = live(total);
  const startMs = performance.now();
  const view = () => ({ counts: total(), bytes: position.bytes, totalBytes: source.totalBytes });
  const hide = showProgress(view, process.stderr);
  const failure = await pipeline.run().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  hide();
  caller.close();
  const seconds = (performance.now() - startMs) / 1_000;
  const run = countsOf(pipeline.status());
  const isDone = failure === undefined && pipeline.status().state === "done";
  return {
    input: source.name,
    part: `${reading.part.part}/${reading.part.of}`,
    end: failure !== undefined ? "failed" : isDone ? "done" : "stopped",
    failure,
    run,
    total: total(),
    seconds,
    recordsPerSecond: totalOf(run) / seconds,
    outputs,
    checkpoint: settings.checkpoint,
  };
}

function optionsOf({ outputs, request, limits, onThrottled, key, timeoutMs }: PipeSettings, { throttle, limit, rejection }: Limits) {
  return {
    success: jsonlFile({ path: outputs.success, line: ({ input, ...ending }) => ({ input, output: (ending as { output?: unknown }).output ?? null }) }),
    throttled: jsonlFile({ path: outputs.throttled }),
    error: jsonlFile({ path: outputs.errors }),
    ...(throttle ? { throttle } : {}),
    ...(limit ? { limit } : {}),
    rejection: rejection ?? false,
    ...(limits.concurrency === "adaptive" ? {} : { concurrency: limits.concurrency }),
    rejected: onThrottled,
    refuse: (record: unknown) => (record instanceof BadLine ? record.fault : faultOf(() => request(record))),
    ...(key ? { order: (record: unknown) => keyOf(() => key(record)) } : {}),
    // Calls under way end by their own timeout.
    drainTimeout: timeoutMs + 1_000,
  } as const;
}
