import type { MembershipSettings } from "../consensus/membership-settings.ts";
import type { CoordinationStore } from "../contract/coordination-store.ts";
import {
  checkAcquireTimeout,
  checkDuration,
  checkInteger,
  checkKeys,
  checkName,
  checkRuntime,
  invalidOption,
} from "../kit/check.ts";
import { MOST_LEARNING } from "../ledger/bounds.ts";
import { createMode, type Mode } from "../modes/mode.ts";
import { randomId } from "../runtime/runtime.ts";
import { systemRuntime } from "../runtime/system-runtime.ts";
import type { Release } from "../shares/allotment.ts";
import { checkLimit, type LimitSpec } from "./limit.ts";
import type { ModeOption, Shares, StoreLostOption, ThrottleOptions } from "./options.ts";
import { replacedOptions } from "./replaces.ts";

/** What to do without a valid share, in milliseconds and tokens. */
export type StoreLostPolicy =
  | { readonly type: "stop" }
  | { readonly type: "hold"; readonly forMs: number }
  | { readonly type: "floor"; readonly maxProcessors: number };

/** Options, validated and in milliseconds: what a membership needs to know, and the rest. */
export interface ThrottleSettings extends Omit<MembershipSettings, "member" | "policy"> {
  readonly processorId: string;
  readonly incarnation: string;
  readonly limit: LimitSpec;
  readonly mode: Mode;
  readonly release: Release;
  readonly burst: number | undefined;
  readonly shares: Shares;
  readonly onStoreLost: StoreLostPolicy;
  readonly acquireTimeoutMs: number | undefined;
  readonly maxWaiters: number;
  /** The group that this one replaces. */
  readonly replaced: ThrottleSettings | undefined;
}

/**
 * How far the clocks of a processor and the store may drift apart within the validity: 1 %, far more than real ones do.
 */
const DRIFT_ALLOWANCE = 0.01;

const KNOWN_OPTIONS: ReadonlySet<string> = new Set<keyof ThrottleOptions>([
  "group",
  "max",
  "store",
  "min",
  "rampUp",
  "mode",
  "interval",
  "release",
  "replaces",
  "burst",
  "processorId",
  "shares",
  "syncInterval",
  "validity",
  "staleAfter",
  "storeTimeout",
  "clockError",
  "learning",
  "resumeWithin",
  "onStoreLost",
  "acquireTimeout",
  "maxWaiters",
  "runtime",
]);

/**
 * Checks every option once, at the public door.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function checkOptions(options: ThrottleOptions): ThrottleSettings {
  if (typeof options !== "object" || options === null)
    throw invalidOption("options", options, "give one object: createThrottle({ group, max, store })");
  checkKeys("options", options, KNOWN_OPTIONS);
  const runtime = checkRuntime(options.runtime ?? systemRuntime);
  const intervalMs = checkDuration("interval", options.interval ?? 1_000, 10);
  const timing = checkTiming(options, intervalMs);
  const limit = checkLimit(options, intervalMs);
  const release = checkRelease(options.release ?? "epoch");
  return {
    group: checkName("group", options.group),
    processorId:
      options.processorId === undefined ? `p-${randomId(runtime)}` : checkName("processorId", options.processorId),
    incarnation: randomId(runtime),
    store: checkStore(options.store),
    runtime,
    limit,
    mode: checkMode(options.mode ?? "relaxed", intervalMs),
    release,
    burst: checkBurst(options.burst, release),
    shares: checkShares(options.shares ?? "even", options.store),
    intervalMs,
    ...timing,
    clockErrorMs: checkDuration("clockError", options.clockError ?? Math.min(250, intervalMs / 4), 1),
    learningMs: checkLearning(options, timing, intervalMs),
    resumeWithinMs: checkDuration("resumeWithin", options.resumeWithin ?? 0, 0),
    onStoreLost: checkPolicy(options.onStoreLost ?? "stop"),
    acquireTimeoutMs: checkAcquireTimeout(options.acquireTimeout),
    maxWaiters: checkInteger("maxWaiters", options.maxWaiters ?? 10_000, 1),
    replaced: options.replaces === undefined ? undefined : checkOptions(replacedOptions(options, options.replaces)),
  };
}

type Timing = Pick<ThrottleSettings, "syncIntervalMs" | "validityMs" | "staleAfterMs" | "storeTimeoutMs">;

/** The timing inequalities that the promise rests on (docs/protocol.md, "Consensus", processor rule 4). */
function checkTiming(options: ThrottleOptions, intervalMs: number): Timing {
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

/** A group goes on learning for a time that was asked for, also when whoever asked for it has left. */
function checkLearning(options: ThrottleOptions, timing: Timing, intervalMs: number): number {
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

function checkStore(store: unknown): CoordinationStore {
  const candidate = store as Partial<CoordinationStore> | undefined;
  if (
    typeof candidate !== "object" ||
    candidate === null ||
    typeof candidate.capabilities !== "object" ||
    candidate.capabilities === null ||
    !(["register", "sync", "deregister", "inspect"] as const).every((name) => typeof candidate[name] === "function")
  )
    throw invalidOption(
      "store",
      store,
      "give a CoordinationStore: new MemoryStore(), or one of @dt/sqlite, @dt/redis, ...",
    );
  return candidate as CoordinationStore;
}

function checkRelease(release: unknown): Release {
  if (release === "epoch" || release === "even") return release;
  throw invalidOption("release", release, 'give "epoch" or "even"');
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

function checkShares(shares: unknown, store: CoordinationStore): Shares {
  if (shares !== "even" && shares !== "demand") throw invalidOption("shares", shares, 'give "even" or "demand"');
  if (shares === "demand" && !store.capabilities.demand)
    throw invalidOption(
      "shares",
      shares,
      `the ${store.capabilities.name} store divides evenly only; give "even", or use a store whose capabilities say demand`,
    );
  return shares;
}

function checkMode(option: ModeOption, intervalMs: number): Mode {
  const mode: Exclude<ModeOption, string> = typeof option === "string" ? { type: option } : option;
  checkKeysByType("mode", mode, MODE_KEYS);
  switch (mode?.type) {
    case "scheduled":
    case "relaxed":
      return createMode({ type: mode.type });
    case "onlyIfUsed":
      return createMode({ type: "onlyIfUsed", threshold: checkPercent("mode.threshold", mode.threshold ?? 50) });
    case "goBackN":
      return createMode({
        type: "goBackN",
        threshold: checkPercent("mode.threshold", mode.threshold ?? 50),
        coolDownEpochs: checkDuration("mode.coolDown", mode.coolDown ?? intervalMs, 0) / intervalMs,
        rampDown: checkPercent("mode.rampDown", mode.rampDown ?? 100),
      });
    default:
      throw invalidOption(
        "mode",
        option,
        'give "scheduled", "relaxed", "onlyIfUsed" or "goBackN", or an object with one of these as its type',
      );
  }
}

/** The keys of an object option, by its type. An unknown type is refused by whoever reads it. */
type KeysByType = Readonly<Record<string, readonly string[]>>;

const MODE_KEYS: KeysByType = {
  scheduled: [],
  relaxed: [],
  onlyIfUsed: ["threshold"],
  goBackN: ["threshold", "coolDown", "rampDown"],
};

const POLICY_KEYS: KeysByType = { stop: [], hold: ["for"], floor: ["maxProcessors"] };

function checkKeysByType(name: string, option: { readonly type: string }, keys: KeysByType): void {
  // Of its own: "constructor" is a key of every object.
  if (!Object.hasOwn(keys, option?.type)) return;
  const known = keys[option.type] as readonly string[];
  checkKeys(name, option, new Set(["type", ...known]), `${name}.`);
}

function checkPercent(option: string, value: unknown): number {
  if (typeof value === "number" && value >= 0 && value <= 100) return value;
  throw invalidOption(option, value, "give a percentage from 0 to 100");
}

function checkPolicy(option: StoreLostOption): StoreLostPolicy {
  const policy = typeof option === "string" ? { type: option } : option;
  checkKeysByType("onStoreLost", policy, POLICY_KEYS);
  switch (policy?.type) {
    case "stop":
      return { type: "stop" };
    case "hold":
      return { type: "hold", forMs: checkDuration("onStoreLost.for", policy.for, 1) };
    case "floor":
      return { type: "floor", maxProcessors: checkInteger("onStoreLost.maxProcessors", policy.maxProcessors, 1) };
    default:
      throw invalidOption(
        "onStoreLost",
        option,
        'give "stop", { type: "hold", for: "30s" } or { type: "floor", maxProcessors: 50 }',
      );
  }
}
