import type { PermitRequest, Reservation } from "@dt/core";
import { instantOf } from "@dt/core/ledger";
import type { Violation } from "../invariants.ts";

/** What must be true of every answer to `reserve`, whatever the case. */
export function reservationViolation(request: PermitRequest, answer: Reservation): Violation | undefined {
  if (typeof answer !== "object" || answer === null)
    return { rule: "P9", summary: `reserve answered ${String(answer)}, not a Reservation` };
  const { granted, firstMs, stepMs, earliestMs, retryAfterMs, reservedAhead, storeTimeMs, pausedForMs } = answer;
  if (!isTime(storeTimeMs)) return { rule: "P2", summary: `storeTimeMs is ${String(storeTimeMs)}, not a time` };
  if (!Number.isSafeInteger(granted) || granted < 0 || granted > request.count)
    return { rule: "P4", summary: `granted is ${String(granted)}, and ${request.count} were asked for` };
  if (!Number.isSafeInteger(reservedAhead) || reservedAhead < 0)
    return { rule: "P4", summary: `reservedAhead is ${String(reservedAhead)}, not a whole number >= 0` };
  if (!isTime(retryAfterMs))
    return { rule: "P4", summary: `retryAfterMs is ${String(retryAfterMs)}, not a number >= 0` };
  if (pausedForMs !== undefined && !(isTime(pausedForMs) && pausedForMs > 0))
    return { rule: "P15", summary: `pausedForMs is ${String(pausedForMs)}, not a number > 0` };
  if (granted === 0) return undefined;
  if (retryAfterMs !== 0)
    return { rule: "P4", summary: `retryAfterMs is ${retryAfterMs} although ${granted} were granted` };
  for (const [name, value] of Object.entries({ firstMs, stepMs, earliestMs }))
    if (typeof value !== "number" || !Number.isFinite(value))
      return { rule: "P3", summary: `${name} is ${String(value)}, not a number` };
  if (stepMs < 0 || !isTime(instantOf(answer, 0)))
    return { rule: "P3", summary: `the instants run from ${instantOf(answer, 0)} in steps of ${stepMs} ms` };
  return undefined;
}

/** What a key's answers were known to be when a call was sent. */
export interface KeyFloor {
  /** When this was answered, in milliseconds since the case began. */
  readonly answeredMs: number;
  readonly storeTimeMs: number;
}

/** A second of real time is too much to be mistaken about. */
const NOTICEABLE_MS = 1_000;

/**
 * Of two calls, the one sent after the other was answered sees no earlier time (but for `apartMs`); and time passes,
 * where it passes by itself: a hybrid clock may stand still while nobody calls.
 */
export function keyTimeViolation(
  floor: KeyFloor | undefined,
  sentMs: number,
  storeTimeMs: number,
  clock: { readonly apartMs: number; readonly runs: boolean },
  of: "key" | "budget" | "bucket" = "key",
): Violation | undefined {
  if (!floor) return undefined;
  const passedMs = sentMs - floor.answeredMs;
  const gainedMs = storeTimeMs - floor.storeTimeMs;
  if (gainedMs < -clock.apartMs)
    return {
      rule: "P2",
      summary: `the ${of}'s time is ${storeTimeMs}, and an earlier call was answered ${floor.storeTimeMs}`,
    };
  if (clock.runs && passedMs >= NOTICEABLE_MS && gainedMs < passedMs / 2)
    return { rule: "P2", summary: `the ${of}'s time went on by ${gainedMs} ms in ${Math.round(passedMs)} ms` };
  return undefined;
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
