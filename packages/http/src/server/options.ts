import type { ConcurrencyLimit } from "@dt/adaptive";
import type { Duration, Runtime } from "@dt/core";
import { type Events, invalidOption, option, type Settings, settingsOf, type TableOf } from "@dt/core/internal";
import { type ServerLimitEvents, serverLimitEvents } from "./events.ts";
import type { FieldForm } from "./fields.ts";
import { type ThrottlePolicy, throttlePolicy } from "./policies/fleet.ts";
import { type KeyedPolicy, keyedPolicy } from "./policies/keyed.ts";
import type { Policy } from "./policies/policy.ts";
import { type QuotaCounter, type QuotaPolicy, quotaPolicy } from "./policies/quota.ts";
import { type PacerPolicy, pacerPolicy } from "./policies/spaced.ts";
import type { PerRequest } from "./request-facts.ts";
import { StoreWatch } from "./store-watch.ts";

/** Options of `createServerLimit`. Durations are milliseconds or strings such as `"1m"`. */
export interface ServerLimitOptions<Raw = unknown> {
  /**
   * What requests have to pass, each with a name of its own. Quotas are asked first, then keyed limits, throttles and
   * pacers, each kind in the order of the list. A request that is refused counts in none. But units of keyed limits
   * that let it through before do not come back, nor does an instant of a pacer.
   * @default none
   */
  readonly policies?: readonly (QuotaPolicy<Raw> | KeyedPolicy<Raw> | ThrottlePolicy<Raw> | PacerPolicy<Raw>)[];
  /**
   * Requests in work at once: what comes on top waits for `acquireTimeout` and is then answered 503. The program that
   * made it stops it.
   * @default none
   */
  readonly limit?: ConcurrencyLimit;
  /**
   * How important a request is to `limit`: a whole number from -9 to 9.
   * @default 0
   */
  readonly priority?: PerRequest<Raw, number>;
  /**
   * The partition of `limit` that a request counts in, by name.
   * @default none
   */
  readonly partition?: PerRequest<Raw, string | undefined>;
  /**
   * How long a request may wait for a slot of `limit`.
   * @default 1 s; 0 turns it away at once
   */
  readonly acquireTimeout?: Duration;
  /**
   * The `Retry-After` of a 503, and up to twice that, at random: so not all come back at once. Advice,
   * not a promise.
   * @default 1 s
   */
  readonly retryAfter?: Duration;
  /**
   * The forms in which policies are sent.
   * @default `["ratelimit"]`, the current draft; `[]` sends only `Retry-After`
   */
  readonly fields?: readonly FieldForm[];
  /**
   * Time and chance.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

/** Options after they were checked. */
export interface ServerLimitSettings<Raw>
  extends Settings<Omit<ServerLimitOptions<Raw>, "policies">, "limit" | "partition"> {
  readonly quotas: readonly QuotaCounter<Raw>[];
  /** Asked before a request waits for a slot: whoever has used up a limit takes no place in the queue. */
  readonly keyed: readonly Policy<Raw>[];
  /** Throttles and pacers: asked last, when nothing else is in the way. */
  readonly shared: readonly Policy<Raw>[];
  readonly events: Events<ServerLimitEvents>;
  readonly watch: StoreWatch;
  /** The `Retry-After` of a 503: at random. */
  comeBackMs(): number;
}

const FORMS: readonly FieldForm[] = ["ratelimit", "draft-7", "draft-6", "x-ratelimit"];

const SERVER = {
  policies: option.later,
  limit: option.having<ConcurrencyLimit>(["acquire"], "give what createConcurrencyLimit made").optional,
  priority: option.later,
  partition: option.later,
  acquireTimeout: option.duration(0).or(1_000),
  retryAfter: option.duration(1).or(1_000),
  fields: option.checked(checkForms).or(["ratelimit"]),
  runtime: option.runtime,
} satisfies TableOf<ServerLimitOptions>;

/**
 * Checks every option once, at the public door.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function checkServerLimit<Raw>(options: ServerLimitOptions<Raw>): ServerLimitSettings<Raw> {
  const settings = settingsOf(SERVER, options);
  const { policies = [], priority = 0, partition } = options;
  if (!Array.isArray(policies)) throw invalidOption("policies", policies, "give an array");
  const { runtime, retryAfterMs } = settings;
  const events = serverLimitEvents();
  const comeBackMs = (): number => retryAfterMs * (1 + runtime.random());
  const watch = new StoreWatch(runtime, comeBackMs, events);
  const made = policies.map((policy) => makePolicy<Raw>(policy, runtime, watch));
  const names = made.map(({ policy: { name } }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalidOption("policies", twice, "give every policy a name of its own");
  const ofKind = (wanted: Made<Raw>["kind"]): Policy<Raw>[] =>
    made.flatMap(({ kind, policy }) => (kind === wanted ? [policy] : []));
  return {
    ...settings,
    priority,
    partition,
    quotas: ofKind("quota") as QuotaCounter<Raw>[],
    keyed: ofKind("keyed"),
    shared: [...ofKind("throttle"), ...ofKind("pacer")],
    ...{ events, watch, comeBackMs },
  };
}

interface Made<Raw> {
  readonly kind: "quota" | "keyed" | "throttle" | "pacer";
  readonly policy: Policy<Raw>;
}

function makePolicy<Raw>(
  policy: QuotaPolicy<Raw> | KeyedPolicy<Raw> | ThrottlePolicy<Raw> | PacerPolicy<Raw>,
  runtime: Runtime,
  watch: StoreWatch,
): Made<Raw> {
  if (typeof policy !== "object" || policy === null)
    throw invalidOption(
      "policies",
      policy,
      "give objects with a name, and a rate, a keyed limit, a throttle or a pacer",
    );
  if ("keyed" in policy) return { kind: "keyed", policy: keyedPolicy(policy, watch) };
  if ("throttle" in policy) return { kind: "throttle", policy: throttlePolicy(policy) };
  if ("pacer" in policy) return { kind: "pacer", policy: pacerPolicy(policy) };
  return { kind: "quota", policy: quotaPolicy(policy, runtime) };
}

function checkForms(name: string, given: unknown): readonly FieldForm[] {
  const forms = given as readonly FieldForm[];
  const known = Array.isArray(forms) && forms.every((form) => FORMS.includes(form));
  if (!known) throw invalidOption(name, forms, `give an array of ${FORMS.join(", ")}`);
  if (forms.filter((form) => form !== "x-ratelimit").length > 1)
    throw invalidOption(name, forms, "give one of ratelimit, draft-7 and draft-6: they use the same headers");
  return forms;
}
