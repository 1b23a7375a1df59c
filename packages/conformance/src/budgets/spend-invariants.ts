import type { SpendAnswer, SpendRequest } from "@dt/core";
import type { Violation } from "../invariants.ts";
import { ROUNDING_MS } from "./rounding.ts";

const DAY_MS = 86_400_000;

/** What must be true of every answer to `spend`, whatever the case. */
export function spendViolation(request: SpendRequest, answer: SpendAnswer): Violation | undefined {
  if (typeof answer !== "object" || answer === null)
    return { rule: "B10", summary: `spend answered ${String(answer)}, not a SpendAnswer` };
  const { granted, atMs, waitMs, limitedBy, pausedForMs, rests, storeTimeMs } = answer;
  const { limits, reserve } = request;
  if (!isTime(storeTimeMs)) return { rule: "B2", summary: `storeTimeMs is ${String(storeTimeMs)}, not a time` };
  if (typeof granted !== "boolean" || (granted && !reserve))
    return {
      rule: "B3",
      summary: `granted is ${String(granted)}, and ${reserve ? "a cost" : "nothing"} was asked for`,
    };
  if (!isTime(atMs) || !isTime(waitMs) || (!granted && atMs !== 0))
    return { rule: "B3", summary: `atMs is ${String(atMs)}, waitMs ${String(waitMs)}, granted ${granted}` };
  const isPlace = Number.isSafeInteger(limitedBy) && Number(limitedBy) >= -1 && Number(limitedBy) < limits.length;
  if (waitMs > 0 ? !isPlace : limitedBy !== undefined)
    return { rule: "B3", summary: `limitedBy is ${String(limitedBy)} of a wait of ${waitMs} ms` };
  if (!isTime(pausedForMs) || pausedForMs > DAY_MS + ROUNDING_MS)
    return { rule: "B5", summary: `pausedForMs is ${String(pausedForMs)}, not a time of a day at most` };
  if (!Array.isArray(rests) || rests.length !== limits.length || !rests.every((rest) => Number.isFinite(rest)))
    return { rule: "B4", summary: `rests is ${JSON.stringify(rests)} of ${limits.length} limits` };
  return undefined;
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
