import type { LimitValues } from "@dt/core";
import type { LimiterReport, LimitReport } from "../fleet/report.ts";
import type { LimiterKind } from "../stores/limiter.ts";
import { membersFollow } from "./preview-members.ts";
import { amount, per, plural } from "./preview-text.ts";
import type { LimitPreview } from "./protocol.ts";

/** What a preview is made of. */
export interface Plan {
  readonly kind: LimiterKind;
  /** Of a keyed limit: the one key. */
  readonly key?: string | undefined;
  /** What is known of the limiter; undefined where the store keeps nothing of it. */
  readonly limiter: LimiterReport | undefined;
  /** The limit that counts now; null where it is not known. */
  readonly from: LimitValues | null;
  /** The one that is to count; null where it is removed. */
  readonly to: LimitValues | null;
  /** For how long it counts, as text; absent for good. */
  readonly for?: string | undefined;
  /** Whether the limiter's processes take their limit from the store; undefined where that is not known. */
  readonly isStored: boolean | undefined;
}

/** From when a new limit holds, of each kind: docs/stored-limits.md has it in full. */
const HOLDS: Readonly<Record<LimiterKind, string>> = {
  throttle:
    "It holds in the store at once, and in a process from its next sync, a second by default. A process that cannot reach the store keeps its share to the end of its validity, 6.75 s by default.",
  semaphore:
    "It holds in the store at once, and in a process from its next sync. No call is ended: after a lower limit none begins until enough have ended.",
  pacer: "It holds from the next request of each process. Permits that are reserved already keep their instants.",
  budget: "It holds from the next request of each process. Calls in flight go on, and what was spent is not forgotten.",
  keyed:
    "It holds from the next request of each process. Units in hand are spent for up to 2.5 s, and what was used is not forgotten.",
};

/** What would follow of a change, in sentences. */
export function previewOf(plan: Plan): LimitPreview {
  const { from, to, isStored, kind } = plan;
  const inVain = isStored === false;
  const follows = [
    ...(inVain ? [IN_VAIN] : []),
    ...(isStored === undefined ? unknownUse(plan) : []),
    ...(to === null ? removal(plan) : [...sameOrPart(plan), ...consequencesOf(plan, to)]),
    HOLDS[kind],
    ...(plan.for === undefined ? [] : [`After ${plan.for} the value in the code counts again.`]),
  ];
  return { from, to, follows, inVain };
}

const IN_VAIN =
  "Nothing would follow: no process of this limiter takes its limit from the store. Their code needs `stored: true`.";

function unknownUse({ limiter, kind }: Plan): readonly string[] {
  if (limiter === undefined || limiter.members?.length === 0)
    return ["No process uses the limiter now: the limit counts for those that come, if they have `stored: true`."];
  return kind === "keyed" || kind === "pacer" || kind === "budget"
    ? ["It counts for processes with `stored: true`. The store does not know which of them have it."]
    : [];
}

function removal({ from, limiter }: Plan): readonly string[] {
  if (limiter?.stored?.inForce !== true && limiter !== undefined)
    return ["The store has no limit that could be removed: the value in the code counts now, and goes on to count."];
  const now = from === null ? "" : ` It takes the place of ${valuesText(from)}.`;
  return [`The value in the code counts again; it is not known to the store until then.${now}`];
}

function sameOrPart({ from, to }: Plan): readonly string[] {
  const [before, after] = [new Map(Object.entries(from ?? {})), Object.entries(to ?? {})];
  if (from === null) return ["The limit that counts now is not known."];
  if (before.size === after.length && after.every(([name, value]) => before.get(name) === value))
    return ["That is the limit that counts now."];
  return [];
}

function consequencesOf(plan: Plan, to: LimitValues): readonly string[] {
  switch (plan.kind) {
    case "throttle":
    case "semaphore":
      return membersFollow(plan.kind, plan.limiter, to["max"] ?? 0);
    case "pacer":
      return pacerFollows(plan, to);
    case "budget":
      return budgetFollows(plan, new Map(Object.entries(to)));
    case "keyed":
      return keyedFollows(plan, to);
  }
}

function pacerFollows({ limiter, from }: Plan, to: LimitValues): readonly string[] {
  const everyMs = to["everyMs"] ?? 0;
  const former = from?.["everyMs"];
  const instead = former === undefined ? "" : ` in place of one each ${amount(former)} ms`;
  const waiting = limiter?.waiting ?? 0;
  return [
    `One permit each ${amount(everyMs)} ms${instead}.`,
    ...(to["burst"] === undefined && from?.["burst"] !== undefined
      ? ["The burst is the code's: it is not named."]
      : []),
    ...(waiting > 0
      ? [
          `${plural(waiting, "request")} wait: the last one's turn is ${seconds(waiting * everyMs)} ahead${former === undefined ? "" : `, and ${seconds(waiting * former)} now`}.`,
        ]
      : []),
  ];
}

function budgetFollows({ limiter }: Plan, to: ReadonlyMap<string, number>): readonly string[] {
  const limits = limiter?.limits ?? [];
  const known = new Set(limits.map(({ name }) => name));
  return [
    ...limits.flatMap((limit) => windowFollows(limit, to.get(limit.name))),
    ...[...to.keys()]
      .filter((name) => limits.length > 0 && !known.has(name))
      .map((name) => `${JSON.stringify(name)} is no limit of the budget in use: it changes nothing.`),
  ];
}

function windowFollows({ name, max, windowMs, used }: LimitReport, to: number | undefined): readonly string[] {
  if (to === undefined) return [`${name}: not named, so that the value in the code counts; it is ${amount(max)} now.`];
  const over = (used ?? 0) - to;
  const change = `${name}: ${amount(to)}${per(windowMs)} in place of ${amount(max)}`;
  if (over <= 0) return [`${change}; ${used === null ? "its use is not known" : `${amount(used)} are used`}.`];
  return [
    `${change}; ${amount(used ?? 0)} are used, so that calls wait or are refused until ${amount(over)} of them have left the window.`,
  ];
}

function keyedFollows({ key, limiter, from }: Plan, to: LimitValues): readonly string[] {
  const [max, windowMs, burst] = [to["max"] ?? 0, to["windowMs"] ?? 0, to["burst"] ?? 0];
  const former = from?.["burst"];
  const lowered = former !== undefined && burst < former;
  return [
    `${key === undefined ? "Each key without a limit of its own" : `The key ${JSON.stringify(key)}`} has ${amount(max)}${per(windowMs)}, and ${amount(burst)} at once.`,
    ...(lowered
      ? [
          `The burst falls from ${amount(former)} to ${amount(burst)}: a key that has used more is refused until the difference is back.`,
        ]
      : []),
    ...(key === undefined && limiter?.keys
      ? [
          `${plural(limiter.keys.count, "key")} in use; nothing is left now of ${limiter.keys.limited} of the ${limiter.keys.read} that were read.`,
        ]
      : []),
    ...(from?.["concurrent"] !== undefined && to["concurrent"] === undefined
      ? ["It has no limit of calls in flight: `concurrent` is not named."]
      : []),
  ];
}

function valuesText(values: LimitValues): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${amount(value)}`)
    .join(", ");
}

function seconds(ms: number): string {
  return `${amount(ms / 1_000)} s`;
}
