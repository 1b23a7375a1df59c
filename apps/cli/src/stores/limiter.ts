import { semaphoreGroup } from "@dt/core/internal";
import { UsageError } from "../exit-code.ts";
import { LIMITER_KINDS, type LimiterKind } from "./limiter-kinds.ts";

export { LIMITER_KINDS, type LimiterKind };

/** What a store keeps limits of: limiters, and what those of `@dt/adaptive` learned. */
export const LIMIT_KINDS = [...LIMITER_KINDS, "learned"] as const;

/** The kinds of which a store keeps a ledger with members. */
export type LedgerKind = Extract<LimiterKind, "throttle" | "semaphore">;

export function isLedger(kind: LimiterKind): kind is LedgerKind {
  return kind === "throttle" || kind === "semaphore";
}

/** What names one limiter on a store. */
export interface LimiterName<Kind extends string = LimiterKind> {
  readonly kind: Kind;
  readonly name: string;
  /** Of a keyed limit: the one key. */
  readonly key?: string;
}

/** What has a limit in a store. */
export type LimitName = LimiterName<(typeof LIMIT_KINDS)[number]>;

/**
 * A limiter as the command line names it.
 * @throws UsageError when the kind or the name is missing, or the kind is none
 */
export function parseLimiter(command: string, kind: string | undefined, name: string | undefined): LimiterName {
  return parseOneOf(LIMITER_KINDS, command, kind, name);
}

/**
 * What has a limit in a store, as the command line names it.
 * @throws UsageError when the kind is none
 */
export function parseLimitName(command: string, kind: string, name: string): LimitName {
  return parseOneOf(LIMIT_KINDS, command, kind, name);
}

function parseOneOf<Kind extends string>(
  kinds: readonly Kind[],
  command: string,
  kind: string | undefined,
  name: string | undefined,
): LimiterName<Kind> {
  const example = `as in: dt ${command} redis://localhost:6379 throttle payments`;
  if (kind === undefined) throw new UsageError(`give the kind of the limiter and its name, ${example}`);
  const known = oneOf(kinds, kind, example);
  if (name === undefined) throw new UsageError(`give the name of the ${known} after its kind, ${example}`);
  return { kind: known, name };
}

/**
 * The same with the key of a keyed limit, which what is asked of one needs.
 * @throws UsageError when it is missing, or the limiter has no keys
 */
export function withKey(command: string, limiter: LimiterName, key: string | undefined): LimiterName {
  const { kind, name } = limiter;
  if (kind === "keyed" && key === undefined)
    throw new UsageError(
      `give the key after the name, as in: dt ${command} redis://localhost:6379 keyed api tenant-17`,
    );
  if (kind !== "keyed" && key !== undefined)
    throw new UsageError(`${JSON.stringify(key)} is one too many: the ${kind} ${JSON.stringify(name)} has no keys`);
  return key === undefined ? limiter : { ...limiter, key };
}

function oneOf<Kind extends string>(kinds: readonly Kind[], kind: string, example: string): Kind {
  const known = kinds.find((one) => one === kind);
  if (known === undefined)
    throw new UsageError(`${JSON.stringify(kind)} is no kind of limiter; give one of ${kinds.join(", ")} ${example}`);
  return known;
}

/** The name of a limiter's ledger on the store. */
export function storedName(kind: LedgerKind, name: string): string {
  return kind === "semaphore" ? semaphoreGroup(name) : name;
}
