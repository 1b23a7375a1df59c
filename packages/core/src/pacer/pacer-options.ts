import type { PermitLedger } from "../contract/permit-ledger.ts";
import { DtError } from "../errors/dt-error.ts";
import {
  checkAcquireTimeout,
  checkDuration,
  checkInteger,
  checkKeys,
  checkName,
  checkRuntime,
  invalidOption,
} from "../kit/check.ts";
import type { Duration } from "../kit/duration.ts";
import { describe } from "../kit/duration.ts";
import { parseRate, type Rate } from "../kit/rate.ts";
import { checkBurst, LONGEST_RESERVATION_MS } from "../permits/check-permit-request.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { systemRuntime } from "../runtime/system-runtime.ts";

/** Options of `createPacer`. Durations are milliseconds or strings such as `"6s"`. */
export interface PacerOptions {
  /**
   * What is paced; processes with the same key on the same store keep the distance between them. 1 to 1,024 UTF-8
   * bytes.
   */
  readonly key: string;
  /** Where permits are reserved. Pacers may share a store; whoever made it closes it. */
  readonly store: PermitLedger;
  /** Distance between permits. Give this or `rate`. */
  readonly every?: Duration;
  /** `"600/min"`, `"10/s"`, `"1000/hour"`, or a number a second. Give this or `every`. */
  readonly rate?: Rate;
  /** Permits that may come at once after idleness. Default 1: strict spacing. */
  readonly burst?: number;
  /**
   * Permits that may be reserved ahead, by all processes together. 0 is pessimistic: take a free permit or back off.
   * Default 100.
   */
  readonly maxReserved?: number;
  /**
   * The most that one call may cost, in units of `every`. Such a call keeps the key to itself for `maxCost` x `every`.
   * Default `burst` + `maxReserved`, which is as long as others can be made to wait by many calls, as far as that is no
   * more than a day; at least 1.
   */
  readonly maxCost?: number;
  /**
   * The `terms` of pacers with this key that this one takes the place of, while a change of `every`, `rate`, `burst` or
   * `strict` is rolled out; the error of a pacer that is refused has them. Both kinds are then served, each with its
   * own distance. Default: none.
   */
  readonly replaces?: string;
  /**
   * A permit whose holder may be later than this is wasted, and another one taken. What the holder cannot know counts
   * against it: the round trip of the answer. So it must be longer than the slowest round trip that is to be of use.
   * Default: `every`, at least 250 ms.
   */
  readonly permitTtl?: Duration;
  /**
   * Spaces permits by `cost x every + permitTtl`, so that even one used at the end of its life keeps the distance to
   * the next. Default false.
   */
  readonly strict?: boolean;
  /**
   * Most permits reserved in one round trip, at 100 a second and more or over a link slower than the rate; unused ones
   * are given back. Default 1,000; 1 turns blocks off.
   */
  readonly block?: number;
  /**
   * Deadline of every call to the store. Default 1.25 s: a little more than an adapter's own (1 s), whose error says
   * more.
   */
  readonly storeTimeout?: Duration;
  /**
   * How long `acquire` waits when the call gives no `timeout`; it then rejects with `DT_ACQUIRE_TIMEOUT`. Default: for
   * as long as it takes.
   */
  readonly acquireTimeout?: Duration;
  /** Most callers of this pacer that may wait at once; more are refused with `DT_QUEUE_FULL`. Default 10,000. */
  readonly maxWaiters?: number;
  /** Time, timers and randomness. Default the real ones. */
  readonly runtime?: Runtime;
}

/** Options, validated and in milliseconds. */
export interface PacerSettings {
  readonly key: string;
  readonly store: PermitLedger;
  readonly runtime: Runtime;
  /** Distance on the ledger: `every`, and with `strict` the life of a permit as well. */
  readonly everyMs: number;
  /** What each permit's distance holds besides its cost: `permitTtl` with `strict`, otherwise 0. */
  readonly marginMs: number;
  readonly burst: number;
  readonly maxReserved: number;
  readonly maxCost: number;
  /** What all pacers of the key must agree on. */
  readonly terms: string;
  readonly formerTerms: string | undefined;
  readonly permitTtlMs: number;
  readonly block: number;
  readonly storeTimeoutMs: number;
  readonly acquireTimeoutMs: number | undefined;
  readonly maxWaiters: number;
}

export const PACER_OPTIONS: ReadonlySet<string> = new Set<keyof PacerOptions>([
  "key",
  "store",
  "every",
  "rate",
  "burst",
  "maxReserved",
  "maxCost",
  "replaces",
  "permitTtl",
  "strict",
  "block",
  "storeTimeout",
  "acquireTimeout",
  "maxWaiters",
  "runtime",
]);

/** One permit a year, nearly. */
const LEAST_RATE = 1e-7;

/**
 * Checks every option once, at the public door.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function checkPacerOptions(options: PacerOptions): PacerSettings {
  if (typeof options !== "object" || options === null)
    throw invalidOption("options", options, "give one object: createPacer({ key, every, store })");
  checkKeys("options", options, PACER_OPTIONS);
  const distanceMs = checkDistance(options);
  const permitTtlMs = checkDuration("permitTtl", options.permitTtl ?? Math.max(distanceMs, 250), 1);
  if (options.strict !== undefined && typeof options.strict !== "boolean")
    throw invalidOption("strict", options.strict, "give true or false");
  const marginMs = options.strict === true ? permitTtlMs : 0;
  const maxReserved = checkInteger("maxReserved", options.maxReserved ?? 100, 0);
  const everyMs = distanceMs + marginMs;
  const burst = checkBurst("burst", options.burst ?? 1, everyMs);
  return {
    key: checkName("key", options.key),
    store: checkLedger("store", options.store),
    runtime: checkRuntime(options.runtime ?? systemRuntime),
    everyMs,
    marginMs,
    burst,
    maxReserved,
    maxCost: checkMaxCost(options.maxCost, burst + maxReserved, everyMs),
    terms: `every ${rounded(everyMs)} ms, burst ${burst}`,
    formerTerms: options.replaces === undefined ? undefined : checkName("replaces", options.replaces),
    permitTtlMs,
    block: checkInteger("block", options.block ?? 1_000, 1, 10_000),
    storeTimeoutMs: checkDuration("storeTimeout", options.storeTimeout ?? 1_250, 1),
    acquireTimeoutMs: checkAcquireTimeout(options.acquireTimeout),
    maxWaiters: checkInteger("maxWaiters", options.maxWaiters ?? 10_000, 1),
  };
}

/** Sums of fractions differ in their last digits. */
export function rounded(number: number): number {
  return Number(number.toPrecision(9));
}

function checkMaxCost(given: unknown, allowed: number, everyMs: number): number {
  const most = Math.max(1, LONGEST_RESERVATION_MS / everyMs);
  if (given === undefined) return Math.min(allowed, most);
  if (typeof given === "number" && given > 0 && given <= most) return given;
  throw invalidOption("maxCost", given, `give a number of units > 0 and at most ${most}, which are a day`);
}

function checkDistance({ every, rate }: PacerOptions): number {
  if ((every === undefined) === (rate === undefined))
    throw new DtError(
      "DT_INVALID_OPTION",
      `every is ${describe(every)} and rate is ${describe(rate)}; give exactly one of them: every: "6s", or rate: "10/min"`,
    );
  if (every !== undefined) return checkDuration("every", every, 0.001);
  const { count, intervalMs } = parseRate("rate", rate);
  const everyMs = intervalMs / count;
  if (everyMs >= 0.001 && everyMs <= 1_000 / LEAST_RATE) return everyMs;
  throw invalidOption("rate", rate, `give permits per second, at least ${LEAST_RATE} and at most 1,000,000`);
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkLedger(option: string, store: unknown): PermitLedger {
  const candidate = store as (Partial<PermitLedger> & { readonly then?: unknown }) | undefined | null;
  if (typeof candidate?.reserve === "function" && typeof candidate.release === "function")
    return candidate as PermitLedger;
  const remedy = "give a store that keeps permits: new MemoryStore(), or one of @dt/sqlite, @dt/redis, ...";
  throw invalidOption(
    option,
    store,
    typeof candidate?.then === "function" ? "await it first: it is a promise" : remedy,
  );
}
