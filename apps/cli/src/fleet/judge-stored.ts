import type { LimitRecord } from "@dt/core";
import { finding } from "./finding.ts";
import type { Finding } from "./report.ts";

/**
 * Whether the limit that the store has is of any use.
 * @param record what the store has; undefined for nothing
 * @param isUsed true while a process uses the limiter
 * @param takesIt true where the limiter's row has a copy of the stored limit
 */
export function judgeStored(record: LimitRecord | undefined, isUsed: boolean, takesIt: boolean): readonly Finding[] {
  if (!record?.inForce || !isUsed || takesIt) return [];
  const text = "the limit in the store is not used, since no process has stored: true";
  return [finding("attention", "in-vain", text)];
}

/** What is left of a pause. @param pausedForMs in milliseconds */
export function judgePause(pausedForMs: number): readonly Finding[] {
  if (pausedForMs <= 0) return [];
  const seconds = Number((pausedForMs / 1_000).toFixed(1));
  return [finding("limited", "paused", `paused for ${seconds} s: no process begins a call before`)];
}
