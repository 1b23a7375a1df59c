import {
  type AdaptiveThrottle,
  type AdaptiveThrottleOptions,
  type Classifier,
  classifier,
  classify,
  createAdaptiveThrottle,
  createGuard,
  createRetryBudget,
  type Guard,
  isAdaptiveThrottle,
  type RetryBudget,
  type Rule,
} from "@dt/adaptive";
import type { Runtime } from "@dt/core";
import {
  checkInteger,
  checkVersion,
  invalidOption,
  option,
  type Settings,
  settingsOf,
  type TableOf,
} from "@dt/core/internal";
import type { RecordTracker } from "./checkpoint/record-tracker.ts";
import { isLocalRejection } from "./endings.ts";
import type { PipelineOptions, Rejected } from "./options.ts";
import { toSink } from "./sinks/given-sink.ts";
import type { Sink } from "./sinks/sink.ts";

type Made =
  | "success"
  | "throttled"
  | "error"
  | "throttle"
  | "pacer"
  | "limit"
  | "semaphore"
  | "rejection"
  | "maxPause"
  | "refusalPause"
  | "groups"
  | "rejected"
  | "classify";

/** The options, checked, in milliseconds. */
export interface PipelineSettings<Input, Result>
  extends Settings<
    Omit<PipelineOptions<Input, Result>, Made>,
    "interval" | "order" | "cost" | "refuse" | "checkpoint" | "signal"
  > {
  readonly sinks: Readonly<Record<"success" | "throttled" | "error", Sink<Input, Result> | undefined>>;
  /** True when the guard was made here, and so is stopped here. */
  readonly ownGuard: boolean;
  /** Makes the counters of a new group; undefined where groups have none of their own. */
  readonly countersOfGroup: (() => AdaptiveThrottle) | undefined;
  /** What all groups share; undefined where they do not, or the guard's own is asked. */
  readonly sharedCounters: AdaptiveThrottle | undefined;
  readonly groupOf: (input: Input) => unknown;
  readonly drop: boolean;
  readonly retries: RetryBudget | undefined;
  readonly classify: Classifier;
}

const ofRecord = option.callback("give a function of a record, or leave it out").optional;

const PIPELINE = {
  success: option.later,
  throttled: option.later,
  error: option.later,
  throttle: option.later,
  pacer: option.later,
  limit: option.later,
  semaphore: option.later,
  rejection: option.later,
  maxPause: option.later,
  refusalPause: option.later,
  guard: option.later,
  concurrency: option.later,
  groups: option.later,
  interval: option.duration(1).optional,
  order: ofRecord,
  buffer: option.later,
  rejected: option.later,
  cost: ofRecord,
  classify: option.callback<Rule>("give a function of how a call ended").optional,
  refuse: ofRecord,
  checkpoint: option.having<RecordTracker>(["begin", "ended", "save"], "give what openCheckpoint() opens").optional,
  signal: option.signal,
  drainTimeout: option.duration(0).or(25_000),
  patience: option.duration(0).or(60_000),
  runtime: option.runtime,
} satisfies TableOf<PipelineOptions>;

/** The Beam design's. */
const BEAM: AdaptiveThrottleOptions = { k: 2, reset: "1m" };

/** @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy */
export function checkPipelineOptions<Input, Result>(
  options: PipelineOptions<Input, Result>,
): PipelineSettings<Input, Result> {
  const settings = settingsOf(PIPELINE, options);
  const { runtime } = settings;
  const concurrency = checkInteger(
    "concurrency",
    options.concurrency ?? (options.limit || options.semaphore ? 256 : 16),
    1,
  );
  const waits = options.interval !== undefined || options.order !== undefined;
  const { guard, order, cost, refuse, groups = 1 } = options;
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
    ...settings,
    sinks: { success: sinkOf("success"), throttled: sinkOf("throttled"), error: sinkOf("error") },
    guard: guard === undefined ? ownGuard(options, runtime, concurrency) : givenGuard(guard, options),
    ownGuard: guard === undefined,
    ...counters(options, runtime),
    concurrency,
    buffer: checkInteger("buffer", options.buffer ?? (waits ? Math.max(1_000, concurrency) : concurrency), 1),
    groupOf: checkGroups(groups, runtime),
    ...checkRejected(options.rejected ?? "dead-letter", runtime),
    order,
    cost,
    refuse,
    classify: settings.classify === undefined ? classify : classifier(settings.classify),
  };
}

function ownGuard<I, R>(options: PipelineOptions<I, R>, runtime: Runtime, concurrency: number): Guard {
  const { throttle, pacer, limit, semaphore, maxPause, refusalPause } = options;
  const parts = Object.entries({ throttle, pacer, limit, semaphore, maxPause, refusalPause }).filter(
    ([, part]) => part !== undefined,
  );
  const maxWaiters = Math.max(10_000, concurrency);
  return createGuard({ ...Object.fromEntries(parts), name: "pipeline", maxWaiters, runtime });
}

function givenGuard<I, R>(guard: Guard, options: PipelineOptions<I, R>): Guard {
  for (const name of ["throttle", "pacer", "limit", "semaphore", "maxPause", "refusalPause"] as const)
    if (options[name] !== undefined) throw invalidOption(name, options[name], "leave it out: the guard has its own");
  checkVersion("guard", guard);
  if (typeof guard?.run === "function" && typeof guard.pause === "function") return guard;
  throw invalidOption("guard", guard, "give what createGuard() makes, or leave it out");
}

function counters<I, R>(
  { rejection, guard }: PipelineOptions<I, R>,
  runtime: Runtime,
): Pick<PipelineSettings<I, R>, "countersOfGroup" | "sharedCounters"> {
  const none = { countersOfGroup: undefined, sharedCounters: undefined };
  checkVersion("rejection", rejection);
  if (rejection === false || (rejection === undefined && guard !== undefined)) return none;
  if (isAdaptiveThrottle(rejection)) return { ...none, sharedCounters: rejection };
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
