import type { PermitSnapshot } from "../contract/permit-snapshot.ts";
import type { InspectablePermitTable } from "./permit-table.ts";
import { advanceKey, TERMS_HOLD_MS } from "./permits.ts";

/** What a key of permits holds at `clockMs` of the store's own clock (P13); undefined when nothing is left of it. */
export function inspectPermits(
  table: InspectablePermitTable,
  key: string,
  clockMs: number,
): PermitSnapshot | undefined {
  const row = table.row();
  if (!row) return undefined;
  const { tatMs, lastMs: usedMs, terms, formerTerms, pausedUntilMs = 0 } = row;
  advanceKey(row, clockMs);
  const nowMs = row.lastMs;
  const isPaused = pausedUntilMs > nowMs;
  const counts = table.count(nowMs, isPaused ? pausedUntilMs : nowMs);
  const binds = terms !== undefined && nowMs - Math.max(usedMs, tatMs) <= TERMS_HOLD_MS;
  if (tatMs <= nowMs && !isPaused && !binds && counts.known + counts.freed + counts.waiting === 0) return undefined;
  return {
    key,
    ...(binds && { terms }),
    ...(binds && formerTerms !== undefined && { formerTerms }),
    ...(isPaused && { pausedForMs: pausedUntilMs - nowMs }),
    reservedUntilMs: tatMs,
    ...counts,
    storeTimeMs: nowMs,
  };
}
