import { createHash } from "node:crypto";
import type { Rate, Runtime } from "@dt/core";
import {
  invalidOption,
  option,
  type ParsedRate,
  parseRate,
  type Settings,
  settingsOf,
  type TableOf,
} from "@dt/core/internal";
import type { PerRequest, RequestFacts } from "../request-facts.ts";
import { valueFor } from "../request-facts.ts";
import { LARGEST_INTEGER, type Standing } from "../standing.ts";
import { checkCost, checkPolicyName, costOf } from "./check-policy.ts";
import type { Answer, Policy } from "./policy.ts";
import { Windows } from "./windows.ts";

/** So many requests of each key in a window. Counted in this process alone. */
export interface QuotaPolicy<Raw = unknown> {
  /** The name that clients receive: printable ASCII. */
  readonly name: string;
  /**
   * What a key may use in a window, and how long the window lasts: `"100/min"`, `"5/90s"`. The count is a whole number;
   * a number alone counts a second. A window begins with the first request of a key.
   */
  readonly rate: Rate;
  /**
   * Which requests are counted together: those with the same text. Undefined for a request that is not counted.
   * @default all requests together
   */
  readonly key?: (request: RequestFacts<Raw>) => string | undefined;
  /**
   * What a request uses up: a whole number of at least 1.
   * @default 1
   */
  readonly cost?: PerRequest<Raw, number>;
  /**
   * The partition (`pk`) that clients receive, from their key. Every proxy on the way can read it: no secret.
   * @default none
   */
  readonly partition?: (key: string) => string;
  /**
   * So many keys are remembered; beyond them the window that ends first is forgotten.
   * @default 100,000
   */
  readonly maxKeys?: number;
}

/** Characters. Longer than an address, a user's id or a UUID. */
const LONGEST_KEY = 128;

const QUOTA = {
  name: option.checked(checkPolicyName),
  rate: option.checked(checkQuotaRate),
  key: option.callback().optional,
  cost: option.later,
  partition: option.callback().optional,
  maxKeys: option.integer(1).or(100_000),
} satisfies TableOf<QuotaPolicy>;

/** @throws DtError `DT_INVALID_OPTION` */
export function quotaPolicy<Raw>(options: QuotaPolicy<Raw>, runtime: Runtime): QuotaCounter<Raw> {
  const { rate, ...rest } = settingsOf(QUOTA, options, "policy");
  const settings = { ...rest, quota: rate.count, windowMs: rate.intervalMs };
  const { key = () => "", cost = 1, partition } = options;
  return new QuotaCounter({ ...settings, key, cost: checkCost(cost), partition }, runtime);
}

interface QuotaSettings<Raw> extends Settings<Omit<QuotaPolicy<Raw>, "rate">, "partition"> {
  readonly quota: number;
  readonly windowMs: number;
}

/** @throws DtError `DT_INVALID_OPTION` */
function checkQuotaRate(name: string, given: unknown): ParsedRate {
  const rate = parseRate(name, given);
  if (Number.isInteger(rate.count) && rate.count <= LARGEST_INTEGER) return rate;
  throw invalidOption(name, given, "give a whole number of at least 1 before the time, such as 100/min");
}

/** Counts requests by key. */
export class QuotaCounter<Raw> implements Policy<Raw> {
  readonly name: string;
  readonly waits = false;
  readonly #settings: QuotaSettings<Raw>;
  readonly #runtime: Runtime;
  readonly #windows: Windows;

  constructor(settings: QuotaSettings<Raw>, runtime: Runtime) {
    this.name = settings.name;
    this.#settings = settings;
    this.#runtime = runtime;
    this.#windows = new Windows(settings.windowMs, settings.maxKeys);
  }

  ask(request: RequestFacts<Raw>): Answer {
    const { key, cost, quota } = this.#settings;
    const counted = shortened(key(request));
    if (counted === undefined) return { granted: true, giveBack: () => undefined };
    const uses = costOf(valueFor(cost, request));
    const nowMs = this.#runtime.now();
    const window = this.#windows.at(counted, nowMs);
    if (window.used + uses <= quota) {
      window.used += uses;
      const giveBack = (): void => {
        window.used -= uses;
      };
      return { granted: true, giveBack };
    }
    // What is more than a whole window has will never pass.
    const retryAfterMs = uses > quota ? undefined : window.endsMs - nowMs;
    return { granted: false, cause: "quota", retryAfterMs };
  }

  standing(request: RequestFacts<Raw>): Standing | undefined {
    const { name, key, quota, windowMs, partition } = this.#settings;
    const whole = key(request);
    const counted = shortened(whole);
    if (whole === undefined || counted === undefined) return undefined;
    const nowMs = this.#runtime.now();
    const { used, endsMs } = this.#windows.at(counted, nowMs);
    const resetMs = endsMs - nowMs;
    return { name, quota, windowMs, remaining: quota - used, resetMs, partition: partition?.(whole) };
  }

  /** Keys that are remembered, and windows that were forgotten before they ended. */
  get books(): { readonly keys: number; readonly forgotten: number } {
    return { keys: this.#windows.size, forgotten: this.#windows.forgotten };
  }
}

/** A long key is remembered by its digest: headers may be 16 KiB, and a hundred thousand of these are 1.6 GiB. */
function shortened(key: string | undefined): string | undefined {
  if (key === undefined || key.length <= LONGEST_KEY) return key;
  return createHash("sha256").update(key).digest("base64");
}
