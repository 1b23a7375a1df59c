import type { Duration, Runtime } from "@dt/core";
import {
  checkDuration,
  checkInteger,
  checkKeys,
  checkSignal,
  invalidOption,
  option,
  type Settings,
  settingsOf,
  type TableOf,
} from "@dt/core/internal";
import type { LimitAlgorithm } from "../algorithms/algorithm.ts";
import { type AlgorithmName, algorithmByName } from "../algorithms/by-name.ts";
import { checkPartitions, type Partitions } from "./partitions.ts";

/** Options of {@link createConcurrencyLimit}. */
export interface ConcurrencyLimitOptions {
  /** How the limit is found: an algorithm, or the name of one with its defaults. Default `"automatic"`. */
  readonly algorithm?: LimitAlgorithm | AlgorithmName;
  /** Shown in errors, in the status and in events. Default `"limit"`. */
  readonly name?: string;
  /**
   * Who is served first among those that wait with one priority. Default `"fifo"`. Under overload `"lifo"` serves some
   * in time, where `"fifo"` serves all of them late.
   */
  readonly order?: "fifo" | "lifo";
  /** Most callers that wait at once; a further one is refused with `DT_QUEUE_FULL`. Default 10,000. */
  readonly maxWaiters?: number;
  /**
   * How long a call may wait that sets no `timeout` of its own; it is then refused with `DT_TIMEOUT`. Default:
   * for as long as it takes.
   */
  readonly acquireTimeout?: Duration;
  /**
   * Guaranteed parts of the limit in percent, by name, at most 100 together. What one does not use is lent to the
   * others, and taken back as calls end. Calls that name none share what is left over.
   */
  readonly partitions?: Readonly<Record<string, number>>;
  /** A slot that was not settled for so long counts as `overload`, and its place is free again. Default: never. */
  readonly maxHold?: Duration;
  /**
   * The event loop may add so much to latencies on average, as a part of the shortest latency of a window, from 0 to 1;
   * where it adds more, the latencies of that window are left out, of at most ten windows in a row. Where the callee
   * reports how long calls waited, every window counts. Default 0.25. With 1 every window is looked at, and no timer
   * looks at the event loop.
   */
  readonly maxLag?: number;
  /** Where time, timers and chance come from. Default: the real ones. */
  readonly runtime?: Runtime;
}

/** How one call asks for a slot without waiting. */
export interface SlotRequest {
  /** What the call weighs, > 0. Default 1. One that weighs more than the limit goes out alone. */
  readonly cost?: number | undefined;
  /**
   * How important it is: a whole number from -9 to 9, default 0. The most important are served first, and displace the
   * least important from a full queue. Below 0 each step leaves a further tenth of the limit free for the others: -1
   * fills it up to 90 %, -9 up to 10 %.
   */
  readonly priority?: number | undefined;
  /** The partition it counts in, by name. */
  readonly partition?: string | undefined;
}

/** How one call waits for a slot. */
export interface SlotOptions extends SlotRequest {
  /** After this time without a slot `acquire` resolves to undefined. */
  readonly timeout?: Duration | undefined;
  /** Aborting it rejects the call with the signal's reason; the slot goes to the next. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The call waits for something else once it has its slot, such as tokens, and begins with `slot.begin()`. Until then
   * its place is taken, but it is no call in flight: it tells nothing of what the callee can take. Default false.
   */
  readonly held?: boolean | undefined;
}

/** Options after they were checked: in milliseconds, nothing left out. */
export interface ConcurrencyLimitSettings
  extends Settings<Omit<ConcurrencyLimitOptions, "algorithm" | "partitions">, "acquireTimeout" | "maxHold"> {
  readonly algorithm: LimitAlgorithm;
  readonly partitions: Partitions;
}

const LIMIT = {
  algorithm: option.checked(checkAlgorithm).or("automatic"),
  name: option.name.or("limit"),
  order: option.oneOf("fifo", "lifo").or("fifo"),
  maxWaiters: option.integer(1).or(10_000),
  acquireTimeout: option.duration(1).optional,
  partitions: option.checked((_, given) => checkPartitions(given as Readonly<Record<string, number>>)).or({}),
  maxHold: option.duration(1).optional,
  maxLag: option.number((lag) => lag >= 0 && lag <= 1, "give a part of the latency, from 0 to 1").or(0.25),
  runtime: option.runtime,
} satisfies TableOf<ConcurrencyLimitOptions>;

const REQUEST_OPTIONS: ReadonlySet<string> = new Set<keyof SlotRequest>(["cost", "priority", "partition"]);
const SLOT_OPTIONS: ReadonlySet<string> = new Set<keyof SlotOptions>([
  ...REQUEST_OPTIONS,
  "timeout",
  "signal",
  "held",
] as (keyof SlotOptions)[]);

/**
 * Checks every option once, at the public door.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function checkConcurrencyLimit(options: ConcurrencyLimitOptions): ConcurrencyLimitSettings {
  return settingsOf(LIMIT, options);
}

/**
 * Checks what one call asks for.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkRequest(
  request: SlotRequest,
  known: ReadonlySet<string> = REQUEST_OPTIONS,
): { cost: number; priority: number } {
  checkKeys("options", request, known);
  return { cost: checkCost(request.cost ?? 1), priority: checkInteger("priority", request.priority ?? 0, -9, 9) };
}

/**
 * Checks what one call asks for, and how it waits.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkSlot(options: SlotOptions): {
  cost: number;
  priority: number;
  timeoutMs: number | undefined;
  signal: AbortSignal | undefined;
  held: boolean;
} {
  const request = checkRequest(options, SLOT_OPTIONS);
  const timeoutMs = options.timeout === undefined ? undefined : checkDuration("timeout", options.timeout, 0);
  return { ...request, timeoutMs, signal: checkSignal(options.signal), held: options.held === true };
}

/**
 * What a call weighs.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkCost(cost: unknown): number {
  if (typeof cost === "number" && cost > 0 && cost < Number.POSITIVE_INFINITY) return cost;
  throw invalidOption("cost", cost, "give a number more than 0");
}

function checkAlgorithm(name: string, algorithm: unknown): LimitAlgorithm {
  if (typeof algorithm === "string") return algorithmByName(algorithm as AlgorithmName);
  const candidate = algorithm as Partial<LimitAlgorithm> | null | undefined;
  const methods = ["window", "start", "next"] as const;
  if (typeof candidate?.name === "string" && methods.every((method) => typeof candidate[method] === "function"))
    return candidate as LimitAlgorithm;
  throw invalidOption(name, algorithm, "give one of this package, such as fixed(20), or its name");
}
