import { DtError } from "../errors/dt-error.ts";
import { describe } from "../internal/duration.ts";
import type { SlotShare } from "./slot-share.ts";
import type { WhyNot } from "./why-not.ts";

/** A call's time was up. */
export function timeoutError(name: string, cost: number, timeoutMs: number, { why, retryAfterMs }: WhyNot): DtError {
  const time = timeoutMs === 0 ? "at once, as timeout 0 demands" : `within ${timeoutMs} ms`;
  return new DtError("DT_TIMEOUT", `${whatOf(name, cost)} not granted ${time}; ${why}`, { retryAfterMs });
}

/** A call does not wait, and its slots are not there. */
export function limitedError(name: string, cost: number, { why, retryAfterMs }: WhyNot): DtError {
  const message = `${whatOf(name, cost)} not free now (${why}); let the call wait, or skip it`;
  return new DtError("DT_LIMITED", message, { retryAfterMs });
}

/** The semaphore grants nothing more. */
export function stoppedError(name: string, what: "is being drained" | "was stopped"): DtError {
  return new DtError("DT_STOPPED", `the semaphore ${describe(name)} ${what}; create a new one`);
}

/** The reason of the signals of slots that are lost. */
export function lostError(name: string, why: string): DtError {
  return new DtError("DT_SLOT_LOST", `the slots of the semaphore ${describe(name)} are lost: ${why}; end the call`);
}

/**
 * What a call costs: a whole number, 1 or more.
 * @throws DtError `DT_INVALID_COST`
 */
export function checkSlotCount(cost: unknown): number {
  if (!Number.isSafeInteger(cost) || (cost as number) < 1) {
    const hint = typeof cost === "object" && cost !== null ? "; options come second: acquire(1, { timeout })" : "";
    throw new DtError("DT_INVALID_COST", `${describe(cost)} slots were asked for; give a whole number >= 1${hint}`);
  }
  return cost as number;
}

/**
 * The same, and at most what is ever granted. Without the store's queue that is what its process is sure to get: a
 * call that costs more would wait for ever beside busy processes.
 * @throws DtError `DT_INVALID_COST`
 */
export function checkSlotCost(given: unknown, { max, capacity, members, guaranteed, mostCost }: SlotShare): number {
  const cost = checkSlotCount(given);
  if (cost > max)
    throw new DtError("DT_INVALID_COST", `${cost} slots are more than max (${max}); ask for less, or raise max`);
  if (cost > mostCost)
    throw new DtError(
      "DT_INVALID_COST",
      `${cost} slots are more than a process is sure to get: ${guaranteed}, of ${capacity} slots for ${members} processes; ask for less, raise max, or run fewer processes`,
    );
  return cost;
}

function whatOf(name: string, cost: number): string {
  const of = `of the semaphore ${describe(name)}`;
  return cost === 1 ? `a slot ${of} was` : `${cost} slots ${of} were`;
}
