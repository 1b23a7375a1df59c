import type { LimitLedger } from "../contract/limit-ledger.ts";
import type { PermitLedger, PermitLimit } from "../contract/permit-ledger.ts";
import { DtError } from "../errors/dt-error.ts";
import { packageName } from "../errors/scope.ts";
import { checkDuration, checkKeys, invalidOption } from "../internal/check.ts";
import { type Duration, describe } from "../internal/duration.ts";
import * as option from "../internal/option.ts";
import { type Settings, settingsOf, type TableOf } from "../internal/options.ts";
import { parseRate, type Rate } from "../internal/rate.ts";
import { checkVersion } from "../internal/version.ts";
import { checkBurst, LONGEST_RESERVATION_MS } from "../permits/check-permit-request.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** Options of `createPacer`. Durations are milliseconds or strings such as `"6s"`. */
export interface PacerOptions {
  /**
   * The pacer's name: pacers of one name on one store keep the distance between them. 1 to 1,024 UTF-8 bytes.
   */
  readonly name: string;
  /** Where permits are reserved. Pacers may share a store. A pacer does not close it. */
  readonly store: PermitLedger;
  /**
   * The distance between two permits. Give this or `rate`.
   * @default none
   */
  readonly every?: Duration;
  /**
   * How many permits there are in how much time: `"600/min"`, `"10/s"`, `"1000/hour"`, or a number a second. Give this
   * or `every`.
   * @default none
   */
  readonly rate?: Rate;
  /**
   * Permits that may come at once after idleness.
   * @default 1, which keeps the distance strictly
   */
  readonly burst?: number;
  /**
   * Permits that may be reserved ahead, by all processes together. 0 is pessimistic: a caller takes a permit that is
   * free, or its process waits and asks again.
   * @default 100
   */
  readonly maxReserved?: number;
  /**
   * The most that one call may cost, in units of `every`. Such a call keeps the pace to itself for `maxCost` x `every`.
   * @default `burst` + `maxReserved`: for as long many calls can make others wait, too. At least 1, and otherwise at
   *   most a day
   */
  readonly maxCost?: number;
  /**
   * The `terms` of the pacers of this name that this one replaces, while a change of `every`, `rate`, `burst` or
   * `strict` is rolled out. The error of a pacer that is refused shows them. Both kinds are then served, each with its
   * own distance.
   * @default none
   */
  readonly replaces?: string;
  /**
   * True where the limit lives in the store: an operator changes it there for the whole fleet, with `setLimit` or
   * `dt limit set`. `every` or `rate`, and `burst`, are the code's values then. They count where none are set, by the
   * process that comes first, and need not be the same in all. Not with `strict`. See docs/limiters.md, "Limits in one
   * place".
   * @default false
   */
  readonly stored?: boolean;
  /**
   * How late a permit may be used. A permit whose holder may be later is wasted, and another one taken. The round trip
   * of the answer counts, so give more than the slowest round trip that is to be of use.
   * @default `every`, at least 250 ms
   */
  readonly permitTtl?: Duration;
  /**
   * Spaces permits by `cost x every + permitTtl`, so that even one used at the end of its life keeps the distance to
   * the next.
   * @default false
   */
  readonly strict?: boolean;
  /**
   * Most permits reserved in one round trip, at 100 a second and more or over a link slower than the rate. Unused ones
   * are given back. 1 turns blocks off.
   * @default 1,000
   */
  readonly block?: number;
  /**
   * Deadline of every call to the store.
   * @default 1.25 s: a little more than an adapter's own (1 s), whose error names the cause
   */
  readonly storeTimeout?: Duration;
  /**
   * How long a caller waits that gives no `timeout`. Its call then rejects with `DT_TIMEOUT`.
   * @default none: it waits for as long as it takes
   */
  readonly acquireTimeout?: Duration;
  /**
   * Most callers of this pacer that may wait at once. More are refused with `DT_QUEUE_FULL`.
   * @default 10,000
   */
  readonly maxWaiters?: number;
  /**
   * Time, timers and randomness.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

/** What `Pacer.update` changes: the rest stays. */
export type PacerUpdate = Pick<PacerOptions, "every" | "rate" | "burst">;

/** Options, validated and in milliseconds. */
export interface PacerSettings
  extends Settings<Omit<PacerOptions, "every" | "rate" | "strict" | "replaces">, "acquireTimeout"> {
  /**
   * Distance on the ledger: `every`, and with `strict` the life of a permit as well. It and `burst` are those in force:
   * where the limit lives in the store, they follow its answers.
   */
  readonly everyMs: number;
  /** The distance and the burst of the code, which requests say. */
  readonly code: PermitLimit;
  /** What each permit's distance holds besides its cost: `permitTtl` with `strict`, otherwise 0. */
  readonly marginMs: number;
  /** What all pacers of the name must agree on. */
  readonly terms: string;
  /** True where requests say the terms: there is something to agree on. */
  readonly hasTerms: boolean;
  readonly formerTerms: string | undefined;
}

const PACER = {
  name: option.name,
  store: option.checked(checkLedger),
  every: option.later,
  rate: option.later,
  burst: option.later,
  maxReserved: option.integer(0).or(100),
  maxCost: option.later,
  replaces: option.name.optional,
  stored: option.boolean.or(false),
  permitTtl: option.duration(1).optional,
  strict: option.boolean.or(false),
  block: option.integer(1, 10_000).or(1_000),
  storeTimeout: option.duration(1).or(1_250),
  acquireTimeout: option.duration(1).optional,
  maxWaiters: option.integer(1).or(10_000),
  runtime: option.runtime,
} satisfies TableOf<PacerOptions>;

export const PACER_OPTIONS: readonly string[] = Object.keys(PACER);

/** One permit a year, nearly. */
const LEAST_RATE = 1e-7;

/**
 * Checks every option once, at the public door.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function checkPacerOptions(options: PacerOptions): PacerSettings {
  const { strict, replaces, permitTtlMs: given, ...settings } = settingsOf(PACER, options);
  const distanceMs = checkDistance(options);
  const permitTtlMs = given ?? Math.max(distanceMs, 250);
  const marginMs = strict ? permitTtlMs : 0;
  const everyMs = distanceMs + marginMs;
  const burst = checkBurst("burst", options.burst ?? 1, everyMs);
  if (settings.stored) checkStored(settings.store, strict);
  return {
    ...settings,
    everyMs,
    code: { everyMs, burst },
    hasTerms: !settings.stored,
    marginMs,
    burst,
    maxCost: checkMaxCost(options.maxCost, burst + settings.maxReserved, everyMs),
    terms: `every ${rounded(everyMs)} ms, burst ${burst}`,
    formerTerms: replaces,
    permitTtlMs,
  };
}

const UPDATE_OPTIONS: ReadonlySet<string> = new Set<keyof PacerUpdate>(["every", "rate", "burst"]);

/**
 * The options after an update: what is left out stays.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function updatedOptions(options: PacerOptions, update: PacerUpdate): PacerOptions {
  checkKeys("update", update, UPDATE_OPTIONS);
  const given = Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined));
  const { every, rate, ...rest } = options;
  return "every" in given || "rate" in given ? { ...rest, ...given } : { ...options, ...given };
}

function checkStored(store: PermitLedger & Partial<LimitLedger>, strict: boolean): void {
  if (!store.setLimit)
    throw invalidOption("stored", true, "this store keeps no limits; leave it out, or use a store that has setLimit");
  if (strict)
    throw invalidOption(
      "strict",
      true,
      "leave it out with stored: the distance in the store has no room for permitTtl",
    );
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
export function checkLedger(name: string, store: unknown): PermitLedger {
  checkVersion(name, store);
  const candidate = store as (Partial<PermitLedger> & { readonly then?: unknown }) | undefined | null;
  if (typeof candidate?.reserve === "function" && typeof candidate.release === "function")
    return candidate as PermitLedger;
  const remedy = `give a store that keeps permits: new MemoryStore(), or one of ${packageName("sqlite")}, ${packageName("redis")}, ...`;
  throw invalidOption(name, store, typeof candidate?.then === "function" ? "await it first: it is a promise" : remedy);
}
