import {
  AdaptiveThrottle,
  type AdaptiveThrottleOptions,
  type Classifier,
  classifier,
  classify,
  createAdaptiveThrottle,
  createGuard,
  createRetryBudget,
  type Guard,
  type RetryBudget,
} from "@dt/adaptive";
import { type Runtime, systemRuntime } from "@dt/core";
import { checkDuration, checkInteger, checkKeys, checkRuntime, checkSignal, invalidOption } from "@dt/core/kit";
import type { RecordTracker } from "./checkpoint/record-tracker.ts";
import { isLocalRejection } from "./endings.ts";
import type { PipelineOptions, Rejected } from "./options.ts";
import { toSink } from "./sinks/given-sink.ts";
import type { Sink } from "./sinks/sink.ts";

/** The options, checked, in milliseconds. */
export interface Settings<Input, Result> {
  readonly sinks: Readonly<Record<"success" | "throttled" | "error", Sink<Input, Result> | undefined>>;
  readonly guard: Guard;
  /** True when the guard was made here, and so is stopped here. */
  readonly ownGuard: boolean;
  /** Makes the counters of a new group; undefined where groups have none of their own. */
  readonly countersOfGroup: (() => AdaptiveThrottle) | undefined;
  /** What all groups share; undefined where they do not, or the guard's own is asked. */
  readonly sharedCounters: AdaptiveThrottle | undefined;
  readonly concurrency: number;
  readonly buffer: number;
  readonly groupOf: (input: Input) => unknown;
  readonly intervalMs: number | undefined;
  readonly order: ((input: Input) => unknown) | undefined;
  readonly drop: boolean;
  readonly retries: RetryBudget | undefined;
  readonly cost: ((input: Input) => number) | undefined;
  readonly classify: Classifier;
  readonly refuse: ((input: Input) => string | undefined) | undefined;
  readonly checkpoint: RecordTracker | undefined;
  readonly signal: AbortSignal | undefined;
  readonly drainTimeoutMs: number;
  readonly patienceMs: number;
  readonly runtime: Runtime;
}

const KNOWN: ReadonlySet<string> = new Set<keyof PipelineOptions>([
  "success",
  "throttled",
  "error",
  "throttle",
  "pacer",
  "limit",
  "rejection",
  "maxPause",
  "refusalPause",
  "guard",
  "concurrency",
  "groups",
  "interval",
  "order",
  "buffer",
  "rejected",
  "cost",
  "classify",
  "refuse",
  "checkpoint",
  "signal",
  "drainTimeout",
  "patience",
  "runtime",
]);

/** The Beam design's. */
const BEAM: AdaptiveThrottleOptions = { k: 2, reset: "1m" };

/** @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy */
export function checkPipeline<Input, Result>(options: PipelineOptions<Input, Result>): Settings<Input, Result> {
  checkKeys("options", options, KNOWN);
  const runtime = checkRuntime(options.runtime ?? systemRuntime);
  const concurrency = checkInteger("concurrency", options.concurrency ?? (options.limit ? 256 : 16), 1);
  const waits = options.interval !== undefined || options.order !== undefined;
  const { guard, checkpoint, groups = 1 } = options;
  // What was given for two kinds is one sink, which is opened and closed once.
  const made = new Map<unknown, Sink<Input, Result>>();
  const sinkOf = (name: "success" | "throttled" | "error"): Sink<Input, Result> | undefined => {
    const output = options[name];
    if (output === undefined) return undefined;
    const sink = made.get(output) ?? toSink(name, output);
    made.set(output, sink);
    return sink;
  };
  return {
    sinks: { success: sinkOf("success"), throttled: sinkOf("throttled"), error: sinkOf("error") },
    guard: guard === undefined ? ownGuard(options, runtime, concurrency) : givenGuard(guard, options),
    ownGuard: guard === undefined,
    ...counters(options, runtime),
    concurrency,
    buffer: checkInteger("buffer", options.buffer ?? (waits ? Math.max(1_000, concurrency) : concurrency), 1),
    groupOf: checkGroups(groups, runtime),
    intervalMs: options.interval === undefined ? undefined : checkDuration("interval", options.interval, 1),
    order: checkFunction("order", options.order, "a function of a record"),
    ...checkRejected(options.rejected ?? "dead-letter", runtime),
    cost: checkFunction("cost", options.cost, "a function of a record"),
    classify: checkRule(options.classify),
    refuse: checkFunction("refuse", options.refuse, "a function of a record"),
    checkpoint: checkCheckpoint(checkpoint),
    signal: checkSignal(options.signal),
    drainTimeoutMs: checkDuration("drainTimeout", options.drainTimeout ?? 25_000, 0),
    patienceMs: checkDuration("patience", options.patience ?? 60_000, 0),
    runtime,
  };
}

function ownGuard<I, R>(options: PipelineOptions<I, R>, runtime: Runtime, concurrency: number): Guard {
  const { throttle, pacer, limit, maxPause, refusalPause } = options;
  const parts = Object.entries({ throttle, pacer, limit, maxPause, refusalPause }).filter(
    ([, part]) => part !== undefined,
  );
  const maxWaiters = Math.max(10_000, concurrency);
  return createGuard({ ...Object.fromEntries(parts), name: "pipeline", maxWaiters, runtime });
}

function givenGuard<I, R>(guard: Guard, options: PipelineOptions<I, R>): Guard {
  for (const name of ["throttle", "pacer", "limit", "maxPause", "refusalPause"] as const)
    if (options[name] !== undefined) throw invalidOption(name, options[name], "leave it out: the guard has its own");
  if (typeof guard?.run === "function" && typeof guard.enter === "function") return guard;
  throw invalidOption("guard", guard, "give what createGuard() makes, or leave it out");
}

function counters<I, R>(
  { rejection, guard }: PipelineOptions<I, R>,
  runtime: Runtime,
): Pick<Settings<I, R>, "countersOfGroup" | "sharedCounters"> {
  const none = { countersOfGroup: undefined, sharedCounters: undefined };
  if (rejection === false || (rejection === undefined && guard !== undefined)) return none;
  if (rejection instanceof AdaptiveThrottle || typeof (rejection as Partial<AdaptiveThrottle>)?.begin === "function")
    return { ...none, sharedCounters: rejection as AdaptiveThrottle };
  if (rejection !== undefined && (typeof rejection !== "object" || rejection === null))
    throw invalidOption("rejection", rejection, "give options of an adaptive throttle, an adaptive throttle, or false");
  const made = (): AdaptiveThrottle => createAdaptiveThrottle({ ...(rejection ?? BEAM), runtime });
  // Wrong options are told of now, not with the first record.
  made();
  return { ...none, countersOfGroup: made };
}

function checkGroups<Input>(groups: unknown, runtime: Runtime): (input: Input) => unknown {
  if (typeof groups === "function") return groups as (input: Input) => unknown;
  if (typeof groups !== "number") throw invalidOption("groups", groups, "give a number, or a function of a record");
  const number = checkInteger("groups", groups, 1, 10_000);
  return number === 1 ? () => 0 : () => Math.floor(runtime.random() * number);
}

function checkRejected(rejected: Rejected, runtime: Runtime): { drop: boolean; retries: RetryBudget | undefined } {
  if (rejected === "dead-letter" || rejected === "drop") return { drop: rejected === "drop", retries: undefined };
  const given = rejected === "retry" ? {} : rejected?.retry;
  if (typeof given !== "object" || given === null)
    throw invalidOption(
      "rejected",
      rejected,
      'give "dead-letter", "drop", "retry" or { retry: { retries, maxDelay } }',
    );
  // Only what we refuse ourselves is tried again: the callee has not seen it.
  const classify = (ended: object) =>
    "error" in ended && isLocalRejection(ended.error) ? ("overload" as const) : ("success" as const);
  return { drop: false, retries: createRetryBudget({ ...given, classify, runtime }) };
}

function checkRule(rule: PipelineOptions["classify"]): Classifier {
  if (rule === undefined) return classify;
  if (typeof rule !== "function") throw invalidOption("classify", rule, "give a function of how a call ended");
  return classifier(rule);
}

function checkFunction<F>(option: string, given: F | undefined, what: string): F | undefined {
  if (given === undefined || typeof given === "function") return given;
  throw invalidOption(option, given, `give ${what}, or leave it out`);
}

function checkCheckpoint(given: RecordTracker | undefined): RecordTracker | undefined {
  for (const method of ["begin", "ended", "save"] as const)
    if (given !== undefined && typeof given?.[method] !== "function")
      throw invalidOption("checkpoint", given, "give what openCheckpoint() opens");
  return given;
}
