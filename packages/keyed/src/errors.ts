import { DtError } from "@dt/core";
import { describe } from "@dt/core/internal";
import type { Check, LimitedBy } from "./check.ts";

/** Whose limit it is, for messages. */
export interface Whose {
  readonly name: string;
  readonly key: string;
}

/** A caller's time was up, or will be before its call may go on. */
export function notInTime(
  whose: Whose,
  timeoutMs: number | undefined,
  {
    retryAfterMs,
    limitedBy,
  }: { readonly retryAfterMs?: number | undefined; readonly limitedBy?: LimitedBy | undefined },
): DtError<"DT_TIMEOUT"> {
  const when = retryAfterMs === undefined ? "" : `; it could go on in ${Math.ceil(retryAfterMs)} ms`;
  const by = limitedBy === undefined ? "" : `: limited by ${limitedBy}`;
  return new DtError(
    "DT_TIMEOUT",
    `${whoseText(whose)} granted nothing within ${timeoutMs} ms${by}${when}; wait longer, or raise the limit`,
    { retryAfterMs, limitedBy },
  );
}

/** A call would have to wait, and does not. */
export function limited(
  whose: Whose,
  { retryAfterMs, limitedBy }: Pick<Check, "retryAfterMs" | "limitedBy">,
): DtError<"DT_LIMITED"> {
  return new DtError(
    "DT_LIMITED",
    `${whoseText(whose)} refuses the call: limited by ${limitedBy}; ask again in ${Math.ceil(retryAfterMs)} ms, or wait`,
    { retryAfterMs, limitedBy },
  );
}

/** Two processes give a key different limits: the store's error, with whose limit it is. */
export function mismatch(whose: Whose, cause: DtError): DtError<"DT_PACE_MISMATCH"> {
  const remedy = "or set limits in the store, and give all processes stored: true";
  return new DtError("DT_PACE_MISMATCH", `${whoseText(whose)}: ${cause.message}; ${remedy}`, { cause });
}

/** A limit that ends refuses callers. */
export function stoppedError(name: string, what: "is being drained" | "was stopped"): DtError<"DT_STOPPED"> {
  return new DtError("DT_STOPPED", `the keyed limit ${describe(name)} ${what}; create a new one`);
}

/** The reason of the signal of a slot that is lost. */
export function slotLost(whose: Whose, why: string): DtError<"DT_SLOT_LOST"> {
  return new DtError("DT_SLOT_LOST", `a slot of ${whoseText(whose)} is lost: ${why}; end the call`);
}

/**
 * What a call costs: a whole number from 1 to the burst of its key.
 * @throws DtError `DT_INVALID_COST`
 */
export function checkCost(cost: unknown, burst: number): void {
  if (!Number.isSafeInteger(cost) || (cost as number) < 1 || (cost as number) > burst) throw costError(cost, burst);
}

/** The `DT_INVALID_COST` of a cost that a key never has. */
export function costError(cost: unknown, burst: number): DtError<"DT_INVALID_COST"> {
  const hint = typeof cost === "object" && cost !== null ? "; options come second: acquire(1, { timeout })" : "";
  return new DtError(
    "DT_INVALID_COST",
    `a cost of ${describe(cost)} was given; give a whole number from 1 to the burst of the key, ${Math.floor(burst)}${hint}`,
  );
}

/** Of which limit, and of which key of it. */
export function whoseText({ name, key }: Whose): string {
  return `the limit ${describe(name)} of the key ${describe(key)}`;
}
