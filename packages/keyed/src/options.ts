import type { BucketLimit, Duration, KeyedLedger, LimitLedger, Runtime } from "@dt/core";
import { checkVersion, invalidOption, option, type Settings, settingsOf, type TableOf } from "@dt/core/internal";
import type { Parent } from "./check.ts";
import { checkKeyLimit, type KeyLimit } from "./key-limit.ts";

/** Options of `createKeyed`. Durations are milliseconds or text such as `"2s"`. */
export interface KeyedOptions {
  /** The limit's name: equal keys of one name on one store share a limit. 1 to 1,024 UTF-8 bytes. */
  readonly name: string;
  /** Where the keys are kept: a store with keyed limits. Not closed by it. */
  readonly store: KeyedLedger & Partial<LimitLedger>;
  /**
   * The limit of each key: `{ rate: "5/s", burst: 10 }`, or a function of the key. The function is called often, so it
   * looks nothing up. Limits that change while the fleet runs are for `stored`, or for `replaces`.
   */
  readonly limit: KeyLimit | ((key: string) => KeyLimit);
  /**
   * The limit that `limit` takes the place of, while a change is rolled out. Without it a key whose limit differs is
   * refused with `DT_PACE_MISMATCH` for 10 s after its last use.
   * @default none
   */
  readonly replaces?: KeyLimit | ((key: string) => KeyLimit | undefined);
  /**
   * Whether limits live in the store: the one of `setLimit` for a key, or else for the name, takes the place of
   * `limit` while it is in force. The fleet follows it within about a second.
   * @default false
   */
  readonly stored?: boolean;
  /**
   * A limit that this one's keys share: a limiter of another name, or a function of the key that gives one. A call then
   * needs units of both. The key's are taken first, and given back where the parent refuses.
   * @default none
   */
  readonly parent?: Parent | ((key: string) => Parent);
  /**
   * Whether the limit holds. `false`: every call goes on, and those that would have been refused or would have waited
   * are counted: `status().wouldRefuse`.
   * @default true
   */
  readonly enforce?: boolean;
  /**
   * What becomes of a call that cannot be decided since the store is away. `"throw"`: it rejects with the store's
   * error. `"allow"`: it goes on, uncounted. `"deny"`: `check` and `tryAcquire` answer no, and other calls reject.
   * @default "throw"
   */
  readonly whenStoreLost?: "throw" | "allow" | "deny";
  /**
   * How long a caller waits that gives no `timeout`. Its call then rejects with `DT_TIMEOUT`.
   * @default none: it waits for as long as it takes
   */
  readonly acquireTimeout?: Duration;
  /**
   * Most callers of one key that may wait at once in this process. More are refused with `DT_QUEUE_FULL`.
   * @default 1,000
   */
  readonly maxWaiters?: number;
  /**
   * Deadline of every call to the store.
   * @default 1.25 s: a little more than an adapter's own (1 s), whose error names the cause
   */
  readonly storeTimeout?: Duration;
  /**
   * Time, timers and randomness.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

/** Options, checked. */
export interface KeyedSettings extends Settings<Omit<KeyedOptions, "limit" | "replaces" | "parent">, "acquireTimeout"> {
  /** @throws DtError `DT_INVALID_OPTION` for what the function gave */
  limitOf(key: string): BucketLimit;
  /** @throws DtError `DT_INVALID_OPTION` for what the function gave */
  formerLimitOf(key: string): BucketLimit | undefined;
  parentOf(key: string): Parent | undefined;
}

const KEYED = {
  name: option.name,
  store: option.checked(checkStore),
  limit: option.later,
  replaces: option.later,
  stored: option.boolean.or(false),
  parent: option.later,
  enforce: option.boolean.or(true),
  whenStoreLost: option.oneOf("throw", "allow", "deny").or("throw"),
  acquireTimeout: option.duration(1).optional,
  maxWaiters: option.integer(1).or(1_000),
  storeTimeout: option.duration(1).or(1_250),
  runtime: option.runtime,
} satisfies TableOf<KeyedOptions>;

/**
 * Checks every option once, at the public door.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function checkKeyedOptions(options: KeyedOptions): KeyedSettings {
  const settings = settingsOf(KEYED, options);
  const { limit, replaces, parent } = options;
  if (settings.stored && typeof settings.store.readLimit !== "function")
    throw invalidOption("stored", true, "this store keeps no limits; leave it out, or use another store");
  return {
    ...settings,
    limitOf: byKey(limit, (given) => checkKeyLimit("limit", given)),
    formerLimitOf: byKey(replaces, (given) => (given === undefined ? undefined : checkKeyLimit("replaces", given))),
    parentOf: byKey(parent, checkParent),
  };
}

/** What is the same for all keys is checked now, and the rest for each key. */
function byKey<Given, Checked>(
  given: Given | ((key: string) => Given),
  check: (given: Given) => Checked,
): (key: string) => Checked {
  if (typeof given === "function") return (key) => check((given as (key: string) => Given)(key));
  const checked = check(given);
  return () => checked;
}

function checkParent(parent: Parent | undefined): Parent | undefined {
  checkVersion("parent", parent);
  if (parent === undefined || typeof parent?.check === "function") return parent;
  throw invalidOption("parent", parent, "give a limiter of another limit, such as totals.for(key), or leave it out");
}

function checkStore(name: string, store: unknown): KeyedOptions["store"] {
  checkVersion(name, store);
  if (typeof (store as Partial<KeyedLedger> | undefined)?.take === "function") return store as KeyedOptions["store"];
  throw invalidOption(name, store, "give a store that keeps keyed limits, such as memory, SQLite, Redis or PostgreSQL");
}
