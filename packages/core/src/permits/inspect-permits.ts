import type { PermitSnapshot } from "../contract/permit-snapshot.ts";
import type { InspectablePermitTable } from "./permit-table.ts";
import { advanceKey } from "./permits.ts";
import { TERMS_HOLD_MS } from "./terms-hold.ts";

/** What a key of permits holds at `clockMs` of the store's own clock (P13); undefined when nothing is left of it. */
export function inspectPermits(
  table: InspectablePermitTable,
  key: string,
  clockMs: number,
): PermitSnapshot | undefined {
  const row = table.row();
  if (!row) return undefined;
  const { tatMs, lastMs: usedMs, terms, formerTerms, pausedUntilMs = 0, stored } = row;
  advanceKey(row, clockMs);
  const nowMs = row.lastMs;
  const isPaused = pausedUntilMs > nowMs;
  const counts = table.count(nowMs, isPaused ? pausedUntilMs : nowMs);
  const isHeld = nowMs - Math.max(usedMs, tatMs) <= TERMS_HOLD_MS;
  const binds = terms !== undefined && isHeld;
  const isStored = stored !== undefined && isHeld;
  if (tatMs <= nowMs && !isPaused && !binds && !isStored && counts.known + counts.freed + counts.waiting === 0)
    return undefined;
  return {
    key,
    ...(binds && { terms }),
    ...(binds && formerTerms !== undefined && { formerTerms }),
    ...(isPaused && { pausedForMs: pausedUntilMs - nowMs }),
    ...(isStored && { stored }),
    reservedUntilMs: tatMs,
    ...counts,
    storeTimeMs: nowMs,
  };
}
