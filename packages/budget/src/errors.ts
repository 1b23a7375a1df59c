import { DtError } from "@dt/core";
import { describe } from "@dt/core/internal";
import type { BudgetSettings } from "./options.ts";

/** What made a call wait, by name: a limit, `"pause"`, or undefined for nothing. */
export function limitName({ limits }: BudgetSettings, limitedBy: number | undefined): string | undefined {
  return limitedBy === -1 ? "pause" : limits[limitedBy ?? Number.NaN]?.name;
}

/** A call was not granted within its time. */
export function notInTime(
  settings: BudgetSettings,
  timeoutMs: number | undefined,
  retryAfterMs: number | undefined,
  limitedBy: number | string | undefined,
): DtError<"DT_TIMEOUT"> {
  const name = typeof limitedBy === "string" ? limitedBy : limitName(settings, limitedBy);
  const why = name === undefined ? "other callers of this process are before it" : `limited by ${name}`;
  const when = retryAfterMs === undefined ? "" : `; it could begin in ${Math.ceil(retryAfterMs)} ms`;
  return new DtError(
    "DT_TIMEOUT",
    `the budget ${describe(settings.name)} granted nothing within ${timeoutMs} ms: ${why}${when}; wait longer, or raise the limit`,
    { retryAfterMs, limitedBy: name },
  );
}

/** A call would have to wait, and does not. */
export function limited(
  settings: BudgetSettings,
  retryAfterMs: number,
  limitedBy: string | undefined,
): DtError<"DT_LIMITED"> {
  const by = limitedBy === undefined ? "callers that wait" : limitedBy;
  return new DtError(
    "DT_LIMITED",
    `the budget ${describe(settings.name)} is limited by ${by}; ask again in ${Math.ceil(retryAfterMs)} ms, or wait`,
    { retryAfterMs, limitedBy },
  );
}

/** A budget that ends refuses callers. */
export function stoppedError(name: string, what: "is being drained" | "was stopped"): DtError<"DT_STOPPED"> {
  return new DtError("DT_STOPPED", `the budget ${describe(name)} ${what}; create a new one`);
}

/** Each time a caller was woken, its instant was past by more than `lateness`. */
export function slowStore({ name, latenessMs }: BudgetSettings, times: number): DtError<"DT_STORE_SLOW"> {
  return new DtError(
    "DT_STORE_SLOW",
    `${times} reservations of the budget ${describe(name)} came more than ${latenessMs} ms late: the store answers too slowly, or this process is too busy; raise lateness`,
  );
}
