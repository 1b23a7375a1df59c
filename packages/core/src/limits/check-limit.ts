import type { LimitChange, LimitTarget } from "../contract/limit-ledger.ts";
import { checkName, invalidOption } from "../internal/check.ts";
import { faultOfValues } from "./limit-values.ts";

const KINDS: ReadonlySet<string> = new Set(["group", "permits", "budget", "keyed", "learned"]);

/** About 31 years. */
const LONGEST_MS = 1e12;
const LONGEST_BY = 256;
const LONGEST_WHY = 1_000;

/**
 * Checks of what a caller hands to the ledger of limits, so that every adapter refuses the same things with the same
 * words.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkLimitTarget(target: LimitTarget): void {
  if (typeof target !== "object" || target === null) throw invalidOption("target", target, "give { kind, name }");
  if (!KINDS.has(target.kind)) throw invalidOption("target.kind", target.kind, `give one of ${[...KINDS].join(", ")}`);
  checkName("target.name", target.name);
  if (target.key === undefined) return;
  checkName("target.key", target.key);
  if (target.kind !== "keyed")
    throw invalidOption("target.key", target.key, `leave it out: only a limit of the kind "keyed" has keys`);
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkLimitChange({ kind }: LimitTarget, change: LimitChange): void {
  if (typeof change !== "object" || change === null) throw invalidOption("change", change, "give { values, by }");
  for (const name of ["values", "from"] as const) {
    const fault = change[name] === undefined ? undefined : faultOfValues(kind, change[name]);
    if (fault !== undefined) throw invalidOption(`change.${name}`, change[name], `give ${fault}`);
  }
  const { forMs, by, why } = change;
  if (forMs !== undefined && !(typeof forMs === "number" && forMs >= 1 && forMs <= LONGEST_MS))
    throw invalidOption("change.forMs", forMs, `give milliseconds from 1 to ${LONGEST_MS}, or leave it out`);
  if (forMs !== undefined && change.values === undefined)
    throw invalidOption("change.forMs", forMs, "leave it out: a limit is removed for good");
  checkText("change.by", by, 1, LONGEST_BY);
  if (why !== undefined) checkText("change.why", why, 0, LONGEST_WHY);
}

function checkText(option: string, value: unknown, least: number, most: number): void {
  if (typeof value === "string" && value.length >= least && value.length <= most && value.isWellFormed()) return;
  throw invalidOption(option, value, `give a text of ${least} to ${most} characters of well-formed Unicode`);
}
