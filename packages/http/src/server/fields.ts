import { type BareItem, type Item, serializeList } from "structured-headers";
import type { Standing } from "./standing.ts";

/**
 * The forms in which policies are sent:
 *
 * - `ratelimit`: the current draft of the IETF, `RateLimit: "name";r=50;t=30` and `RateLimit-Policy:
 *   "name";q=100;w=60`. Every policy.
 * - `draft-7`: `RateLimit: limit=100, remaining=50, reset=30` and `RateLimit-Policy: 100;w=60`. The tightest policy
 *   alone.
 * - `draft-6`: `RateLimit-Limit`, `RateLimit-Remaining`, `RateLimit-Reset` and `RateLimit-Policy`. The tightest
 *   policy alone.
 * - `x-ratelimit`: `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`, the last in seconds from
 *   now. The tightest policy alone.
 */
export type FieldForm = "ratelimit" | "draft-7" | "draft-6" | "x-ratelimit";

/** A header: its name and its value. */
export type Field = readonly [name: string, value: string];

/** What the policies of a request are told as. `first` is the policy that older forms speak of when it is refused. */
export function rateLimitFields(
  standings: readonly Standing[],
  forms: readonly FieldForm[],
  first: string | undefined,
): Field[] {
  const tightest = tightestOf(standings, first);
  if (tightest === undefined) return [];
  return forms.flatMap((form) => (form === "ratelimit" ? currentDraft(standings) : olderForm(form, tightest)));
}

/** Whole seconds until an instant has passed, at least one: whoever comes after them does not come too early. */
export function secondsUntil(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}

function currentDraft(standings: readonly Standing[]): Field[] {
  return [
    ["RateLimit-Policy", serializeList(standings.map(policyItem))],
    ["RateLimit", serializeList(standings.map(limitItem))],
  ];
}

function policyItem(standing: Standing): Item {
  const parameters = new Map<string, BareItem>([["q", Math.floor(standing.quota)]]);
  const seconds = wholeSeconds(standing);
  if (seconds !== undefined) parameters.set("w", seconds);
  return [standing.name, withPartition(parameters, standing)];
}

function limitItem(standing: Standing): Item {
  const parameters = new Map<string, BareItem>([
    ["r", remaining(standing)],
    ["t", secondsUntil(standing.resetMs)],
  ]);
  return [standing.name, withPartition(parameters, standing)];
}

function withPartition(parameters: Map<string, BareItem>, { partition }: Standing): Map<string, BareItem> {
  if (partition !== undefined) parameters.set("pk", new TextEncoder().encode(partition));
  return parameters;
}

function olderForm(form: Exclude<FieldForm, "ratelimit">, standing: Standing): Field[] {
  const limit = Math.floor(standing.quota);
  const left = remaining(standing);
  const reset = secondsUntil(standing.resetMs);
  if (form === "draft-7")
    return [
      ["RateLimit-Policy", policyOf(standing)],
      ["RateLimit", `limit=${limit}, remaining=${left}, reset=${reset}`],
    ];
  const prefix = form === "draft-6" ? "RateLimit" : "X-RateLimit";
  const fields: Field[] = [
    [`${prefix}-Limit`, String(limit)],
    [`${prefix}-Remaining`, String(left)],
    [`${prefix}-Reset`, String(reset)],
  ];
  return form === "draft-6" ? [["RateLimit-Policy", policyOf(standing)], ...fields] : fields;
}

function policyOf(standing: Standing): string {
  const seconds = wholeSeconds(standing);
  return `${Math.floor(standing.quota)}${seconds === undefined ? "" : `;w=${seconds}`}`;
}

/** A window is told in whole seconds, or not at all: half a second is not a second. */
function wholeSeconds({ windowMs }: Standing): number | undefined {
  return windowMs % 1_000 === 0 ? windowMs / 1_000 : undefined;
}

function remaining(standing: Standing): number {
  return Math.max(0, Math.floor(standing.remaining));
}

function tightestOf(standings: readonly Standing[], first: string | undefined): Standing | undefined {
  const refused = standings.find(({ name }) => name === first);
  if (refused) return refused;
  const free = ({ remaining: left, quota }: Standing): number => left / quota;
  return standings.reduce<Standing | undefined>(
    (least, next) => (least === undefined || free(next) < free(least) ? next : least),
    undefined,
  );
}
