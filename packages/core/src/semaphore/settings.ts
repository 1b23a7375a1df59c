import { checkStore, checkStored } from "../consensus/check-store.ts";
import { memberIdOf } from "../consensus/member-id.ts";
import type { CoordinationStore } from "../contract/coordination-store.ts";
import { DtError } from "../errors/dt-error.ts";
import { checkDuration, checkInteger, checkKeys, checkName, invalidOption } from "../internal/check.ts";
import * as option from "../internal/option.ts";
import { type Settings, settingsOf, type TableOf } from "../internal/options.ts";
import { MOST_LEARNING, MOST_TOKENS } from "../ledger/bounds.ts";
import { randomId } from "../runtime/runtime.ts";
import { semaphoreGroup } from "./group.ts";
import type { SemaphoreOptions, SemaphoreUpdate } from "./options.ts";

/** How far the clocks of a member and the store may drift apart: 1 % of the stale age, far more than real ones do. */
const DRIFT_ALLOWANCE = 0.01;

/**
 * A store's clock may be set ahead by a quarter of the stale age (R2). A member may be removed as much earlier by its
 * own clock.
 */
const SURE_PART = 0.75;

/** The shortest validity, in milliseconds: three of the shortest sync intervals. */
const LEAST_VALIDITY_MS = 30;

/** The parts of the stale age that times which are not given have. */
const STOP_PART = 0.2;
const VALID_AND_STOP_PART = 0.725;

/** Options, validated and in milliseconds. */
export interface SemaphoreSettings
  extends Settings<Omit<SemaphoreOptions, "label">, "turn" | "maxHold" | "acquireTimeout"> {
  readonly group: string;
  readonly incarnation: string;
}

const SEMAPHORE = {
  name: option.name,
  max: option.integer(1, MOST_TOKENS),
  store: option.checked(checkSlotStore),
  stored: option.boolean.or(false),
  turn: option.duration(1).optional,
  maxHold: option.duration(1).optional,
  maxWaiters: option.integer(1).or(10_000),
  acquireTimeout: option.duration(1).optional,
  stopWithin: option.later,
  staleAfter: option.later,
  validity: option.later,
  syncInterval: option.later,
  storeTimeout: option.later,
  learning: option.later,
  memberId: option.name.optional,
  label: option.name.optional,
  runtime: option.runtime,
} satisfies TableOf<SemaphoreOptions>;

const UPDATE_OPTIONS: ReadonlySet<string> = new Set<keyof SemaphoreUpdate>(["max"]);

/**
 * Checks every option once, at the public door.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy; `DT_STORE_UNSUITABLE`
 */
export function checkSemaphoreOptions(options: SemaphoreOptions): SemaphoreSettings {
  const { memberId, label, ...settings } = settingsOf(SEMAPHORE, options);
  const { runtime, name } = settings;
  checkStored(settings.stored, settings.store);
  const timing = checkTiming(options);
  return {
    ...settings,
    ...timing,
    learningMs: checkLearning(options, timing.staleAfterMs),
    group: checkName("name, with the kind before it,", semaphoreGroup(name)),
    memberId: memberIdOf({ memberId, label, runtime }),
    incarnation: randomId(runtime),
  };
}

/**
 * The new `max`.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkSemaphoreUpdate(update: SemaphoreUpdate): number {
  checkKeys("update", update, UPDATE_OPTIONS);
  return checkInteger("max", update.max, 1, MOST_TOKENS);
}

/**
 * A cap on the slots in use by this process; none is `Infinity`. Fractions of a slot are of no use.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkSlotCap(cap: unknown): number {
  if (cap === undefined) return Number.POSITIVE_INFINITY;
  if (typeof cap === "number" && cap >= 0) return Math.floor(cap);
  throw invalidOption(
    "cap",
    cap,
    "give the most slots in use by this process (a number >= 0), or undefined for no cap",
  );
}

/** The inequality that the promise for calls which end within `stopWithin` of their signal rests on. */
function checkTiming(options: SemaphoreOptions) {
  const givenStop = given("stopWithin", options.stopWithin, 0);
  const givenValidity = given("validity", options.validity, LEAST_VALIDITY_MS);
  const givenStale = given("staleAfter", options.staleAfter, 100);
  const neededMs = ((givenValidity ?? 0) + (givenStop ?? 0)) / VALID_AND_STOP_PART;
  const staleAfterMs = givenStale ?? Math.max(10_000, (givenStop ?? 0) / STOP_PART, neededMs);
  const stopWithinMs = givenStop ?? STOP_PART * staleAfterMs;
  const validityMs = givenValidity ?? VALID_AND_STOP_PART * staleAfterMs - stopWithinMs;
  const driftMs = DRIFT_ALLOWANCE * staleAfterMs;
  if (validityMs < LEAST_VALIDITY_MS || validityMs + stopWithinMs + driftMs >= SURE_PART * staleAfterMs) {
    const wantedMs = Math.max(validityMs, LEAST_VALIDITY_MS);
    const leastMs = Math.ceil((wantedMs + stopWithinMs) / (SURE_PART - DRIFT_ALLOWANCE)) + 1;
    const [name, value] =
      givenStale === undefined ? ["validity", options.validity] : ["staleAfter", options.staleAfter];
    throw invalidOption(
      name as string,
      value,
      `validity (${wantedMs} ms) + stopWithin (${stopWithinMs} ms) + drift (1 % of staleAfter) must stay below 3/4 staleAfter (${staleAfterMs} ms), or two calls could have one slot; raise staleAfter to at least ${leastMs} ms, or lower stopWithin`,
    );
  }
  const syncIntervalMs = checkDuration("syncInterval", options.syncInterval ?? Math.min(1_000, validityMs / 3), 10);
  if (syncIntervalMs >= validityMs)
    throw invalidOption(
      "syncInterval",
      options.syncInterval,
      `give less than validity (${validityMs} ms), or the slots are lost between two syncs`,
    );
  const storeTimeoutMs = checkDuration("storeTimeout", options.storeTimeout ?? Math.min(1_250, validityMs / 3), 1);
  return { stopWithinMs, staleAfterMs, validityMs, syncIntervalMs, storeTimeoutMs };
}

function given(name: string, value: unknown, leastMs: number): number | undefined {
  return value === undefined ? undefined : checkDuration(name, value, leastMs);
}

/** After a loss of data nobody is given a slot for as long as a share from before may be in use. */
function checkLearning({ learning, store }: SemaphoreOptions, staleAfterMs: number): number {
  const leastMs = store.capabilities.losesData ? staleAfterMs : 0;
  const mostMs = MOST_LEARNING * staleAfterMs;
  const learningMs = checkDuration("learning", learning ?? leastMs, 0);
  if (learningMs >= leastMs && learningMs <= mostMs) return learningMs;
  throw invalidOption(
    "learning",
    learning,
    `give from ${leastMs} ms (staleAfter, where the store can lose its data) to ${mostMs} ms (twice staleAfter)`,
  );
}

/**
 * A store that can keep slots: what its members hold is on record, and follows their demand.
 * @throws DtError `DT_INVALID_OPTION`, `DT_STORE_UNSUITABLE`
 */
function checkSlotStore(name: string, given: unknown): CoordinationStore {
  const store = checkStore(name, given);
  const { ledger, demand } = store.capabilities;
  if (ledger && demand) return store;
  throw new DtError(
    "DT_STORE_UNSUITABLE",
    `the ${store.capabilities.name} store keeps no record of what each process holds, so it cannot keep slots; use a store whose capabilities include ledger and demand`,
  );
}
