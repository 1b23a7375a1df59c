import type { MemberView } from "@dt/core";
import { firstSafeEpoch } from "@dt/core/ledger";
import type { Violation } from "./invariants.ts";

/** In which epoch what an answer gives may be used first, in a group with this interval. */
export function startViolation(view: MemberView, intervalMs: number): Violation | undefined {
  const { fromEpoch, storeTimeMs, clockErrorMs } = view;
  const first = firstSafeEpoch(storeTimeMs, clockErrorMs, intervalMs);
  if (fromEpoch === first) return undefined;
  const summary = `fromEpoch is ${fromEpoch}, not ${first}, the first epoch of ${intervalMs} ms that begins later than ${storeTimeMs} + ${clockErrorMs} ms`;
  return { rule: "R19", summary };
}
