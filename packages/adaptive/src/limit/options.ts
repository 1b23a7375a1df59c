import type { AcquireOptions, Duration, Runtime, Semaphore } from "@dt/core";
import {
  ACQUIRE_OPTIONS,
  type AcquireSettings,
  checkAcquireOptions,
  checkKeys,
  checkPriority,
  invalidOption,
  option,
  type Settings,
  settingsOf,
  type TableOf,
} from "@dt/core/internal";
import type { LimitAlgorithm } from "../algorithms/algorithm.ts";
import { type AlgorithmName, algorithmByName } from "../algorithms/by-name.ts";
import { LEARNED_OPTION, type LearnedOptions } from "../learned/learned-options.ts";
import type { Classifier, Rule } from "../outcome/classify.ts";
import { CLASSIFY } from "../outcome/default-classifier.ts";
import { checkPartitions, type Partitions } from "./partitions.ts";

/** What a concurrency limit needs of a semaphore. */
export type CappedSemaphore = Pick<Semaphore, "cap">;

/** Options of {@link createConcurrencyLimit}. Durations are milliseconds or text such as `"5s"`. */
export interface ConcurrencyLimitOptions {
  /**
   * How the limit is found: by an algorithm's name, or by an algorithm with options, such as `aimd({ max: 50 })`. A
   * name stands for the algorithm's defaults. The algorithm may also be your own.
   * @default "automatic"
   */
  readonly algorithm?: LimitAlgorithm | AlgorithmName;
  /**
   * The limit's name, in errors, in the status and in events.
   * @default "limit"
   */
  readonly name?: string;
  /**
   * Which of the calls that wait with one priority is served first: the one that came first (`"fifo"`), or last
   * (`"lifo"`). Under overload `"lifo"` serves some in time, and `"fifo"` serves all of them late.
   * @default "fifo"
   */
  readonly order?: "fifo" | "lifo";
  /**
   * Most callers that wait at once. A further one is refused with `DT_QUEUE_FULL`.
   * @default 10,000
   */
  readonly maxWaiters?: number;
  /**
   * The `timeout` of calls that give none.
   * @default none: a call waits for as long as it takes
   */
  readonly acquireTimeout?: Duration;
  /**
   * Guaranteed parts of the limit in percent, by name, at most 100 together. What one does not use is lent to the
   * others, and taken back as calls end. Calls that name none share what is left over.
   * @default none
   */
  readonly partitions?: Readonly<Record<string, number>>;
  /**
   * A semaphore of which this process has at most as many slots in use as the limit allows (`semaphore.cap`). All
   * processes together keep to its `max`, and each process to its own limit. Slots of the limit are not slots of the
   * semaphore: a call that needs both takes the limit's first, as in a guard.
   * @default none
   */
  readonly semaphore?: CappedSemaphore;
  /**
   * A slot that was not settled for so long counts as `overload`, and its place is free again.
   * @default none: a slot is held until it is settled
   */
  readonly maxHold?: Duration;
  /**
   * The event loop may add so much to latencies on average, as a part of the shortest latency of a window, from 0 to 1.
   * Where it adds more, the latencies of that window are left out, of at most ten windows in a row. Where the callee
   * reports how long calls waited, every window counts. With 1 every window counts, and no timer looks at the event
   * loop.
   * @default 0.25
   */
  readonly maxLag?: number;
  /**
   * Keeps the limit that is found in a store. A process that starts later starts from it, once the store has answered:
   * no call waits for that, and a store that is away changes nothing. A changed limit is written at most once a minute,
   * and by `drain` and `stop`.
   * @default none: every process starts with the first limit of its algorithm
   */
  readonly learned?: LearnedOptions;
  /**
   * What the end of a call of `run` or `wrap` means: a classifier, or a single rule.
   * @default `classify`, which knows the answers of fetch and HTTP clients, gRPC, AWS and Node
   */
  readonly classify?: Rule;
  /**
   * The source of time, timers and chance.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

/** How a call asks for a slot. */
export interface SlotRequest {
  /**
   * Which calls come first: a whole number from -9 to 9. The highest is served first, and displaces the lowest from a
   * full queue. Below 0 each step leaves a further tenth of the limit free for the others: -1 fills it up to 90 %, -9
   * up to 10 %.
   * @default 0
   */
  readonly priority?: number | undefined;
  /**
   * The partition that the call counts in, by name.
   * @default none
   */
  readonly partition?: string | undefined;
}

/** How a call of `run` or `wrap` waits for its slot. */
export interface SlotCallOptions extends SlotRequest, AcquireOptions {
  /**
   * Which calls come first: a whole number from -9 to 9. The highest is served first, and displaces the lowest from a
   * full queue. Below 0 each step leaves a further tenth of the limit free for the others: -1 fills it up to 90 %, -9
   * up to 10 %.
   * @default 0
   */
  readonly priority?: number | undefined;
}

/** How one call waits for a slot. */
export interface SlotOptions extends SlotCallOptions {
  /**
   * The call waits for something else once it has its slot, such as tokens, and begins with `slot.begin()`. Until then
   * its place is taken, but it is no call in flight: nothing follows from it for the limit.
   * @default false
   */
  readonly held?: boolean | undefined;
}

/** Options after they were checked: in milliseconds, nothing left out. */
export interface ConcurrencyLimitSettings
  extends Settings<
    Omit<ConcurrencyLimitOptions, "algorithm" | "partitions" | "classify">,
    "acquireTimeout" | "maxHold" | "semaphore" | "learned"
  > {
  readonly algorithm: LimitAlgorithm;
  readonly partitions: Partitions;
  readonly classify: Classifier;
}

const LIMIT = {
  algorithm: option.checked(checkAlgorithm).or("automatic"),
  name: option.name.or("limit"),
  order: option.oneOf("fifo", "lifo").or("fifo"),
  maxWaiters: option.integer(1).or(10_000),
  acquireTimeout: option.duration(1).optional,
  partitions: option.checked((_, given) => checkPartitions(given as Readonly<Record<string, number>>)).or({}),
  semaphore: option.having<CappedSemaphore>(["cap"], "give what createSemaphore() made").optional,
  maxHold: option.duration(1).optional,
  maxLag: option.number((lag) => lag >= 0 && lag <= 1, "give a part of the latency, from 0 to 1").or(0.25),
  learned: LEARNED_OPTION,
  classify: CLASSIFY,
  runtime: option.runtime,
} satisfies TableOf<ConcurrencyLimitOptions>;

const REQUEST_OPTIONS = ["priority", "partition"] as const satisfies (keyof SlotRequest)[];
const REQUEST: ReadonlySet<string> = new Set(REQUEST_OPTIONS);
const SLOT: ReadonlySet<string> = new Set<keyof SlotOptions>([...ACQUIRE_OPTIONS, "partition", "held"]);

/**
 * Checks every option once, at the public door.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function checkConcurrencyLimit(options: ConcurrencyLimitOptions): ConcurrencyLimitSettings {
  return settingsOf(LIMIT, options);
}

/**
 * Checks how one call asks for a slot without waiting.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkSlotRequest(request: SlotRequest): { readonly priority: number } {
  checkKeys("options", request, REQUEST);
  return { priority: checkPriority(request.priority ?? 0) };
}

/**
 * Checks how one call waits for a slot.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkSlot(options: SlotOptions): AcquireSettings & { readonly held: boolean } {
  const settings = checkAcquireOptions(options, SLOT);
  const { held = false } = options;
  if (typeof held !== "boolean") throw invalidOption("held", held, "give true or false, or leave it out");
  return { ...settings, held };
}

function checkAlgorithm(name: string, algorithm: unknown): LimitAlgorithm {
  if (typeof algorithm === "string") return algorithmByName(algorithm as AlgorithmName);
  const candidate = algorithm as Partial<LimitAlgorithm> | null | undefined;
  const methods = ["window", "start", "next"] as const;
  if (typeof candidate?.name === "string" && methods.every((method) => typeof candidate[method] === "function"))
    return candidate as LimitAlgorithm;
  throw invalidOption(name, algorithm, "give one of this package, such as fixed(20), or its name");
}
