import type { ParsedRate } from "@dt/core/internal";
import { UsageError } from "../exit-code.ts";
import type { StoreAddress } from "../stores/store-address.ts";
import { checkDistinct } from "./distinct-files.ts";
import type { LimitSettings } from "./limits.ts";
import { fileOfPart, type Part, WHOLE } from "./part.ts";
import type { Reading } from "./records.ts";
import { type Requests, requestsOf } from "./request.ts";
import type { ByteSource } from "./source.ts";
import { type Field, parsePath } from "./template.ts";

/** What becomes of a record that is not sent because it would be refused. */
export const ON_THROTTLED = ["dead-letter", "drop", "retry"] as const;
export type OnThrottled = (typeof ON_THROTTLED)[number];

/** What commander makes of the command line. */
export interface PipeFlags {
  readonly input?: string;
  readonly retryFile?: string;
  readonly url: string;
  readonly method: string;
  readonly header: readonly string[];
  readonly body?: string;
  readonly success: string;
  readonly throttled: string;
  readonly errors: string;
  readonly rate?: ParsedRate;
  readonly store?: StoreAddress;
  readonly name?: string;
  readonly concurrency?: number | "adaptive";
  readonly fleetConcurrency?: number;
  readonly part?: Part;
  readonly onThrottled: OnThrottled;
  readonly reject: boolean;
  readonly key?: string;
  readonly timeout: number;
  readonly storePatience: number;
  readonly maxLine: number;
  readonly checkpoint?: string;
  readonly json?: boolean;
}

/** The files that are written. */
export interface Outputs {
  readonly success: string;
  readonly throttled: string;
  readonly errors: string;
}

/** The command line, checked. */
export interface PipeSettings {
  /** Undefined: standard input. */
  readonly input: string | undefined;
  readonly reading: Reading;
  readonly outputs: Outputs;
  /** As asked for. */
  readonly checkpoint: string | undefined;
  readonly requests: Requests;
  readonly timeoutMs: number;
  readonly limits: LimitSettings;
  /** How long the store may fail before the run ends. */
  readonly storePatienceMs: number;
  readonly onThrottled: OnThrottled;
  readonly key: Field | undefined;
  readonly json: boolean;
}

/** @throws UsageError */
export function checkFlags(flags: PipeFlags): PipeSettings {
  const { part = WHOLE, key } = flags;
  const requests = requestsOf({ url: flags.url, method: flags.method, header: flags.header, body: flags.body });
  const source = sourceOf(flags);
  const input = source === "-" ? undefined : source;
  const outputs = outputsOf(flags, part);
  checkFiles(flags, input, outputs);
  return {
    input,
    reading: { part, longest: flags.maxLine, deadLetters: flags.retryFile !== undefined },
    outputs,
    checkpoint: flags.checkpoint,
    requests,
    timeoutMs: flags.timeout,
    limits: limitsOf(flags, part, requests.origin.host),
    storePatienceMs: flags.storePatience,
    onThrottled: flags.onThrottled,
    key: key === undefined ? undefined : parsePath("--key", key),
    json: flags.json ?? false,
  };
}

/**
 * Where it is written down what was done; undefined where it is not. What cannot be read from the middle may be another
 * stream each time: only the user can say that it is the same.
 */
export function checkpointFile({ checkpoint, outputs }: PipeSettings, source: ByteSource): string | undefined {
  return checkpoint ?? (source.seekable ? defaultCheckpoint(outputs) : undefined);
}

function defaultCheckpoint({ throttled }: Outputs): string {
  return `${throttled}.checkpoint`;
}

function sourceOf({ input, retryFile }: PipeFlags): string {
  const given = [input, retryFile].filter((file) => file !== undefined);
  if (given[0] === undefined || given.length > 1)
    throw new UsageError("give either --input, the records, or --retry-file, dead letters of an earlier run");
  return given[0];
}

function outputsOf({ success, throttled, errors }: PipeFlags, part: Part): Outputs {
  const own = (file: string): string => fileOfPart(part, file);
  return { success: own(success), throttled: own(throttled), errors: own(errors) };
}

/** All files that a run reads and writes are different ones, also those that it names itself. */
function checkFiles({ checkpoint, store }: PipeFlags, input: string | undefined, outputs: Outputs): void {
  const named = { "--success": outputs.success, "--throttled": outputs.throttled, "--errors": outputs.errors };
  const written = Object.entries(named).map(([what, path]) => ({ what, path }));
  const progress = checkpoint ?? (input === undefined ? undefined : defaultCheckpoint(outputs));
  if (progress !== undefined) written.push({ what: "--checkpoint", path: progress });
  const beside = written.flatMap(({ what, path }) =>
    [".lock", what === "--checkpoint" ? ".new" : ".torn"].map((end) => ({
      what: `what is kept beside ${what}`,
      path: `${path}${end}`,
    })),
  );
  const database = store?.kind === "sqlite" ? ["", "-wal", "-shm", "-journal"].map((end) => `${store.path}${end}`) : [];
  checkDistinct(
    [
      ...(input === undefined ? [] : [{ what: "what is read", path: input }]),
      ...written,
      ...beside,
      ...database.map((path) => ({ what: "the --store", path })),
    ],
    [
      ...(input === undefined ? [{ what: "standard input", fd: 0 }] : []),
      { what: "standard output", fd: 1 },
      { what: "standard error", fd: 2 },
    ],
  );
}

/** Calls of this process at the same time where neither it nor the fleet is given a number. */
const CONCURRENCY = 16;

function limitsOf(flags: PipeFlags, part: Part, host: string): LimitSettings {
  const { rate, fleetConcurrency, store, name, concurrency, reject } = flags;
  if (store !== undefined && rate === undefined && fleetConcurrency === undefined)
    throw new UsageError(
      "--store is where processes meet that share a limit; give the limit with --rate or --fleet-concurrency",
    );
  if (part.of > 1 && rate !== undefined && store === undefined)
    throw new UsageError("parts share --rate through a --store; without one each would have it alone");
  if (fleetConcurrency !== undefined && store === undefined)
    throw new UsageError("processes share --fleet-concurrency through a --store; for one process give --concurrency");
  return {
    rate,
    fleetConcurrency,
    store,
    name: name ?? host,
    concurrency: concurrency ?? fleetConcurrency ?? CONCURRENCY,
    rejects: reject,
  };
}
