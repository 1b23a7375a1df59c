import type { ExceededLimit } from "./body-report.ts";
import type { ReadLimit } from "./limits.ts";
import type { DeclaredPolicy } from "./policies.ts";
import { countIn } from "./records.ts";
import { LONGEST_MS } from "./times.ts";

/** One limit of a callee, as an answer states it. What is missing is undefined, which differs from zero. */
export interface StatedLimit {
  /**
   * Its name: `requests`, `tokens`, `input-tokens`, `output-tokens`, `project-tokens`, that of a policy, or Google's
   * `quotaId`. Undefined where it has none.
   */
  readonly name: string | undefined;
  /** The unit of its numbers: `tokens` where its name holds that word, else that of its policy, else `requests`. */
  readonly unit: string;
  /** How much it allows. */
  readonly limit: number | undefined;
  /** How much is left. It guarantees nothing: other callers may take it. */
  readonly remaining: number | undefined;
  /**
   * After how many milliseconds the callee expects it to be as at the beginning, so full. Where a limit refills all the
   * time there is more before that.
   */
  readonly resetMs: number | undefined;
  /** How long its window is, in milliseconds, from a policy or the name. */
  readonly windowMs: number | undefined;
  /** How much of it this call took (Mistral's `query-cost`). */
  readonly charged: number | undefined;
  /** What its numbers are rounded to: 1,000 for tokens of Anthropic, else 1. */
  readonly roundedTo: number;
  /** True where the answer names it as the limit that was exceeded. */
  readonly exceeded: boolean;
}

/** What an answer has of limits, before it is put together. */
export interface LimitParts {
  readonly read: readonly ReadLimit[];
  readonly policies: readonly DeclaredPolicy[];
  readonly exceeded: readonly ExceededLimit[];
}

/** The limits of an answer, each with what its policy and an error add. `tally` counts what makes no sense. */
export function limitsFrom({ read, policies, exceeded }: LimitParts, tally: Tally): readonly StatedLimit[] {
  const declared = new Set(policies);
  const limits: StatedLimit[] = [];
  for (const each of read) {
    const policy = policyOf(each, declared);
    if (policy !== undefined) declared.delete(policy);
    limits.push(stated(each, policy, tally));
  }
  for (const policy of declared) limits.push(stated({ policy: policy.policy }, policy, tally));
  const places = new Map(limits.map(({ name }, at) => [name, at]));
  for (const { name, limit } of exceeded) {
    const at = places.get(name) ?? limits.length;
    const known = limits[at] ?? stated({ policy: name, limit }, undefined, tally);
    limits[at] = { ...known, limit: known.limit ?? limit, exceeded: true };
    places.set(name, at);
  }
  return limits.filter(hasAnything).filter(({ name }) => tally.passes(name === undefined || isName(name)));
}

function hasAnything({ limit, remaining, resetMs, charged, exceeded }: StatedLimit): boolean {
  return exceeded || [limit, remaining, resetMs, charged].some((number) => number !== undefined);
}

/** No name is longer, and none has control characters: names end up in logs. */
const LONGEST_NAME = 256;
const CONTROL = /\p{Cc}/u;

function isName(name: string): boolean {
  return name.length <= LONGEST_NAME && !CONTROL.test(name);
}

/** The policy of a limit: of the same name; without names of the same quota, where that is known. */
function policyOf({ policy: name, limit }: ReadLimit, policies: Iterable<DeclaredPolicy>): DeclaredPolicy | undefined {
  for (const policy of policies)
    if (policy.policy === name && (name !== undefined || limit === undefined || limit === policy.quota)) return policy;
  return undefined;
}

function stated(
  { policy: name, limit, remaining, resetMs, charged, rounded = false }: Partial<ReadLimit>,
  policy: DeclaredPolicy | undefined,
  tally: Tally,
): StatedLimit {
  return {
    name,
    unit: name !== undefined && /tokens/i.test(name) ? "tokens" : (policy?.unit ?? "requests"),
    limit: tally.count(limit ?? policy?.quota),
    remaining: tally.count(remaining),
    resetMs: tally.wait(resetMs),
    windowMs: tally.wait(policy?.windowMs) ?? windowIn(name),
    charged: tally.count(charged),
    roundedTo: rounded ? 1_000 : 1,
    exceeded: false,
  };
}

/** Windows that names tell: `tokens-minute` (Mistral), `minute` (Kong), `...PerDayPerProject...` (Google). */
const WINDOW = /^(?:(?:req|requests|tokens)-)?(second|minute|hour|day)$|Per(Second|Minute|Hour|Day)(?![a-z])/;
const WINDOWS: ReadonlyMap<string, number> = new Map([
  ["second", 1_000],
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["day", 86_400_000],
]);

function windowIn(name: string | undefined): number | undefined {
  const [, word, capital] = WINDOW.exec(name ?? "") ?? [];
  return WINDOWS.get((word ?? capital ?? "").toLowerCase());
}

/** Passes on numbers that make sense, and counts the others. */
export class Tally {
  #ignored = 0;

  /** How many values made no sense. */
  get ignored(): number {
    return this.#ignored;
  }

  /** Counts values that were found to make no sense elsewhere. */
  ignore(values: number): void {
    this.#ignored += values;
  }

  /** A count; undefined for one that makes no sense. */
  count(value: number | undefined): number | undefined {
    return this.#passed(value, countIn(value));
  }

  /** A time in whole milliseconds; undefined for one of a year or more, and for anything that is none. */
  wait(ms: number | undefined): number | undefined {
    return this.#passed(ms, ms !== undefined && ms >= 0 && ms < LONGEST_MS ? Math.ceil(ms) : undefined);
  }

  /** Whether something makes sense: it is counted where it does not. */
  passes(good: boolean): boolean {
    if (!good) this.#ignored += 1;
    return good;
  }

  #passed(given: number | undefined, good: number | undefined): number | undefined {
    this.passes(given === undefined || good !== undefined);
    return good;
  }
}
