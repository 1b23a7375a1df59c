import {
  type CallContext,
  type Checkpoint,
  type Ending,
  jsonlFile,
  type PipelineOptions,
  type PipelineStatus,
  throttled,
} from "@dt/pipeline";
import { withoutUrlSecrets } from "../without-secrets.ts";
import { BadLine } from "./bad-line.ts";
import { type Counts, NONE, sumOf, totalOf } from "./counts.ts";
import { type Answer, httpCaller } from "./http-call.ts";
import type { Limits } from "./limits.ts";
import { showProgress } from "./progress.ts";
import { type Position, recordsOf } from "./records.ts";
import { checkpointFile, type PipeSettings } from "./settings.ts";
import type { ByteSource } from "./source.ts";
import type { Summary } from "./summary.ts";
import type { Field } from "./template.ts";

const BEGINNING: Position = { records: 0, bytes: 0 };

/**
 * Sends what the source holds and the checkpoint does not have yet. Resolves also when it had to give up.
 * @param signal ends it in order
 */
export async function send(
  settings: PipeSettings,
  source: ByteSource,
  checkpoint: Checkpoint | undefined,
  { guard }: Limits,
  signal: AbortSignal,
): Promise<Summary> {
  const { reading, outputs, timeoutMs, requests } = settings;
  const earlier = (checkpoint?.notes as Counts | undefined) ?? NONE;
  let position = source.seekable && checkpoint ? checkpoint.position : BEGINNING;
  const all = recordsOf(source.open(position.bytes), position, reading, (end) => {
    position = end;
  });
  const records = checkpoint ? checkpoint.resume(all, source.seekable ? () => position : undefined) : all;
  const caller = httpCaller(timeoutMs);
  let sent = 0;
  const call = (record: unknown, { signal }: CallContext): Promise<Answer> => {
    const request = requests.of(record);
    sent += 1;
    return caller.call(request, signal);
  };
  const options = { ...optionsOf(settings), guard, ...(checkpoint ? { checkpoint } : {}), signal };
  const pipeline = throttled(records, call, options);
  const total = (): Counts => sumOf(earlier, countsOf(pipeline.status()));
  if (checkpoint) checkpoint.notes = live(total);
  const startMs = performance.now();
  const view = () => ({
    counts: total(),
    bytes: position.bytes,
    totalBytes: source.totalBytes,
    pausedForMs: guard.status().pausedForMs,
  });
  const hide = showProgress(view, process.stderr);
  const failure = await pipeline.run().then(
    () => undefined,
    (error: unknown) => withoutUrlSecrets(error instanceof Error ? error.message : String(error)),
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
    sent,
    run,
    total: total(),
    seconds,
    recordsPerSecond: totalOf(run) / seconds,
    outputs,
    checkpoint: checkpointFile(settings, source),
  };
}

/** Records at a time where the limit adapts: it lets fewer of them out. */
const MOST_ADAPTIVE = 256;

/**
 * A file can wait: a record that is not sent is asked for again, ever later, for about a quarter of a minute. That
 * costs the callee nothing, so all may do so at a time.
 */
const RETRIES = { retries: 6, ratio: 1, baseDelay: "250ms", maxDelay: "10s" } as const;

function optionsOf(settings: PipeSettings): PipelineOptions {
  const { outputs, onThrottled, key, timeoutMs, storePatienceMs } = settings;
  const { concurrency } = settings.limits;
  return {
    success: jsonlFile({ path: outputs.success, line: answerOf }),
    throttled: jsonlFile({ path: outputs.throttled }),
    error: jsonlFile({ path: outputs.errors }),
    concurrency: concurrency === "adaptive" ? MOST_ADAPTIVE : concurrency,
    rejected: onThrottled === "retry" ? { retry: RETRIES } : onThrottled,
    refuse: (record) => faultOf(record, settings),
    ...(key ? { order: (record: unknown) => orderOf(record, key) } : {}),
    patience: storePatienceMs,
    // Calls under way end by their own timeout.
    drainTimeout: timeoutMs + 1_000,
  };
}

/** What is written of a success: what was sent, and what came back. */
function answerOf(ending: Ending): unknown {
  return { input: ending.input, output: ending.kind === "success" ? (ending.output as Answer).body : null };
}

/** Why a record cannot be sent, if it cannot. */
function faultOf(record: unknown, { requests, key }: PipeSettings): string | undefined {
  if (record instanceof BadLine) return record.fault;
  try {
    requests.of(record);
    key?.(record);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** By what records are kept in order. Those that cannot be sent have no order among others. */
function orderOf(record: unknown, key: Field): unknown {
  try {
    const value = key(record);
    return typeof value === "object" ? JSON.stringify(value) : value;
  } catch {
    return BadLine;
  }
}

function countsOf({ success, throttledByClient, throttledByCallee, error, dropped }: PipelineStatus): Counts {
  return { success, throttled: throttledByClient + throttledByCallee, errors: error, dropped };
}

/** Counts that are looked up whenever somebody reads them. */
function live(counts: () => Counts): Counts {
  return {
    get success() {
      return counts().success;
    },
    get throttled() {
      return counts().throttled;
    },
    get errors() {
      return counts().errors;
    },
    get dropped() {
      return counts().dropped;
    },
  };
}
