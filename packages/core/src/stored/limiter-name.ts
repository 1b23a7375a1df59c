import type { LimitKind, LimitTarget } from "../contract/limit-ledger.ts";
import { checkName, invalidOption } from "../internal/check.ts";
import { semaphoreGroup } from "../semaphore/group.ts";

/** A limiter whose limit may live in the store: kind and name together identify one. */
export interface LimiterName {
  /** Its kind. */
  readonly kind: "throttle" | "semaphore" | "pacer" | "budget";
  /** Its name. */
  readonly name: string;
}

const KINDS: Readonly<Record<LimiterName["kind"], LimitKind>> = {
  throttle: "group",
  semaphore: "group",
  pacer: "permits",
  budget: "budget",
};

/**
 * What a limiter is to its store.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function targetOf({ kind, name }: LimiterName): LimitTarget {
  checkName("name", name);
  if (!Object.hasOwn(KINDS, kind)) throw invalidOption("kind", kind, `give one of ${Object.keys(KINDS).join(", ")}`);
  return { kind: KINDS[kind], name: kind === "semaphore" ? semaphoreGroup(name) : name };
}
