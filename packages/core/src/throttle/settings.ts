import { checkStore, checkStored } from "../consensus/check-store.ts";
import { memberIdOf } from "../consensus/member-id.ts";
import type { CoordinationStore } from "../contract/coordination-store.ts";
import { checkDuration, checkInteger, checkKeys, checkName, invalidOption } from "../internal/check.ts";
import * as option from "../internal/option.ts";
import { type Settings, settingsOf, type TableOf } from "../internal/options.ts";
import { MOST_LEARNING } from "../ledger/bounds.ts";
import { createMode, type Mode } from "../modes/mode.ts";
import { randomId } from "../runtime/runtime.ts";
import type { Release } from "../shares/allotment.ts";
import { checkLimit, checkTokenRate, type LimitSpec } from "./limit.ts";
import type { ReplacedLimit, Shares, ThrottleOptions } from "./options.ts";

/**
 * How far the clocks of a member and the store may drift apart within the validity: 1 %, far more than real ones do.
 */
const DRIFT_ALLOWANCE = 0.01;

/** What to do without a valid share, in milliseconds and tokens. */
export type StoreLostPolicy =
  | { readonly type: "stop" }
  | { readonly type: "hold"; readonly forMs: number }
  | { readonly type: "floor"; readonly maxMembers: number };

type Replaced = "label" | "rate" | "max" | "min" | "rampUp" | "mode" | "replaces" | "onStoreLost";

/** Options, validated and in milliseconds. */
export interface ThrottleSettings extends Settings<Omit<ThrottleOptions, Replaced>, "burst" | "acquireTimeout"> {
  readonly incarnation: string;
  readonly limit: LimitSpec;
  readonly mode: Mode;
  readonly onStoreLost: StoreLostPolicy;
  /** The group that this one replaces. */
  readonly replaced: ThrottleSettings | undefined;
}

const percent = option.number((value) => value >= 0 && value <= 100, "give a percentage from 0 to 100");

const THROTTLE = {
  name: option.name,
  rate: option.later,
  max: option.later,
  store: option.checked(checkStore),
  stored: option.boolean.or(false),
  min: option.later,
  rampUp: option.later,
  mode: option
    .byType(
      {
        scheduled: {},
        relaxed: {},
        onlyIfUsed: { threshold: percent.or(50) },
        goBackN: { threshold: percent.or(50), coolDown: option.duration(0).optional, rampDown: percent.or(100) },
      },
      'give "scheduled", "relaxed", "onlyIfUsed" or "goBackN", or { type: "onlyIfUsed", threshold: 50 } or { type: "goBackN", threshold: 50 }',
    )
    .or("relaxed"),
  interval: option.later,
  release: option.oneOf("epoch", "even").or("epoch"),
  replaces: option.later,
  burst: option.later,
  memberId: option.name.optional,
  label: option.name.optional,
  shares: option.oneOf("even", "demand").optional,
  syncInterval: option.later,
  validity: option.later,
  staleAfter: option.later,
  storeTimeout: option.later,
  clockError: option.duration(1).optional,
  learning: option.later,
  resumeWithin: option.duration(0).or(0),
  onStoreLost: option
    .byType(
      { stop: {}, hold: { for: option.duration(1) }, floor: { maxMembers: option.integer(1) } },
      'give "stop", { type: "hold", for: "30s" } or { type: "floor", maxMembers: 50 }',
    )
    .or("stop"),
  acquireTimeout: option.duration(1).optional,
  maxWaiters: option.integer(1).or(10_000),
  runtime: option.runtime,
} satisfies TableOf<ThrottleOptions>;

/**
 * Checks every option once, at the public door.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function checkOptions(options: ThrottleOptions): ThrottleSettings {
  const { memberId, label, mode, clockErrorMs, shares, ...settings } = settingsOf(THROTTLE, options);
  const { runtime, store, release } = settings;
  checkStored(settings.stored, store);
  const tokenRate = checkTokenRate(options);
  const { intervalMs } = tokenRate;
  const timing = checkTiming(options, intervalMs);
  return {
    ...settings,
    ...timing,
    intervalMs,
    shares: shares === undefined ? defaultShares(store, release) : checkShares(shares, store),
    memberId: memberIdOf({ memberId, label, runtime }),
    incarnation: randomId(runtime),
    limit: checkLimit(options, tokenRate),
    mode: createMode(mode, intervalMs),
    burst: checkBurst(options.burst, release),
    clockErrorMs: clockErrorMs ?? Math.min(250, intervalMs / 4),
    learningMs: checkLearning(options, timing, intervalMs),
    replaced: options.replaces === undefined ? undefined : checkOptions(replacedOptions(options, options.replaces)),
  };
}

/** The timing inequalities that the promise rests on (docs/protocol.md, rule 4 of a member). */
function checkTiming(options: ThrottleOptions, intervalMs: number) {
  const given = options.validity === undefined ? undefined : checkDuration("validity", options.validity, 10);
  const staleAfterMs = checkDuration(
    "staleAfter",
    options.staleAfter ?? (given === undefined ? intervalMs + 9_000 : given / 0.75 + intervalMs),
    10,
  );
  const validityMs = given ?? 0.75 * (staleAfterMs - intervalMs);
  const driftMs = DRIFT_ALLOWANCE * validityMs;
  if (validityMs <= 0 || validityMs + intervalMs + driftMs >= staleAfterMs) {
    const least = Math.ceil(Math.max(validityMs, 10) * (1 + DRIFT_ALLOWANCE) + intervalMs) + 1;
    throw invalidOption(
      given === undefined ? "staleAfter" : "validity",
      given === undefined ? options.staleAfter : options.validity,
      `validity (${validityMs} ms) + interval (${intervalMs} ms) + drift (1 % of validity) must stay below staleAfter (${staleAfterMs} ms), or a share could be used after it was given away; raise staleAfter to at least ${least} ms`,
    );
  }
  const syncIntervalMs = checkDuration("syncInterval", options.syncInterval ?? Math.min(1_000, validityMs / 3), 10);
  if (syncIntervalMs >= validityMs)
    throw invalidOption(
      "syncInterval",
      options.syncInterval,
      `give less than validity (${validityMs} ms), or the share lapses between two syncs`,
    );
  const storeTimeoutMs = checkDuration("storeTimeout", options.storeTimeout ?? Math.min(1_250, validityMs / 3), 1);
  return { syncIntervalMs, validityMs, staleAfterMs, storeTimeoutMs };
}

/** A group goes on learning for as long as a member asked, also when that member has left. */
function checkLearning(options: ThrottleOptions, timing: ReturnType<typeof checkTiming>, intervalMs: number): number {
  const { losesData } = options.store.capabilities;
  const learning = options.learning ?? (losesData ? 2 * timing.syncIntervalMs + intervalMs : 0);
  const mostMs = MOST_LEARNING * timing.staleAfterMs;
  const learningMs = checkDuration("learning", learning, 0);
  if (learningMs <= mostMs) return learningMs;
  throw invalidOption(
    "learning",
    learning,
    `give at most twice staleAfter (${mostMs} ms): every share from before has ended by then`,
  );
}

function checkBurst(burst: unknown, release: Release): number | undefined {
  if (burst === undefined) return undefined;
  const tokens = checkInteger("burst", burst, 1);
  if (release === "even") return tokens;
  throw invalidOption(
    "burst",
    burst,
    'it bounds what release: "even" may save up, and has no effect here: a whole share is there at the start of each interval; give release: "even" too',
  );
}

/**
 * Shares follow demand where that costs next to nothing: not where a changed want is a costly write. Not where tokens
 * are spaced over the epoch either: even shares are spaced over the whole fleet, and others for each member alone
 * (docs/headroom.md).
 */
function defaultShares({ capabilities }: CoordinationStore, release: Release): Shares {
  const { demand, demandMembers } = capabilities;
  return demand && demandMembers === undefined && release === "epoch" ? "demand" : "even";
}

function checkShares(shares: Shares, store: CoordinationStore): Shares {
  if (shares === "even" || store.capabilities.demand) return shares;
  throw invalidOption(
    "shares",
    shares,
    `the ${store.capabilities.name} store divides evenly only; give "even", or use a store whose capabilities include demand`,
  );
}

const REPLACED_KEYS: ReadonlySet<string> = new Set<keyof ReplacedLimit>(["name", "rate", "max", "interval"]);

/**
 * The options with which a throttle takes part in the group that it replaces: an even share, and its times at their
 * defaults, which follow from the interval.
 * @throws DtError `DT_INVALID_OPTION`
 */
function replacedOptions(options: ThrottleOptions, replaces: ReplacedLimit): ThrottleOptions {
  checkKeys("replaces", replaces, REPLACED_KEYS, "replaces.");
  const { store, release, memberId, label, onStoreLost, runtime } = options;
  const name = checkName("replaces.name", replaces.name);
  if (name === options.name)
    throw invalidOption("replaces.name", name, "give the new limit another name than the one that it replaces");
  return {
    ...replaces,
    store,
    shares: "even",
    ...(release !== undefined && { release }),
    ...(memberId !== undefined && { memberId }),
    ...(label !== undefined && { label }),
    ...(onStoreLost !== undefined && { onStoreLost }),
    ...(runtime !== undefined && { runtime }),
  };
}
