import type { LimitTarget } from "../contract/limit-ledger.ts";
import type { LimitRecordRow } from "../limits/limit-row.ts";
import type { LimitTable } from "../store/table-database.ts";

/** The limit records in memory. They are set by people, and stay. */
export class MemoryLimits implements LimitTable {
  readonly #rows = new Map<string, LimitRecordRow>();

  limit(target: LimitTarget): LimitRecordRow | undefined {
    return this.#rows.get(placeOf(target));
  }

  putLimit(target: LimitTarget, row: LimitRecordRow): void {
    this.#rows.set(placeOf(target), row);
  }

  clear(): void {
    this.#rows.clear();
  }
}

function placeOf({ kind, name, key }: LimitTarget): string {
  return JSON.stringify([kind, name, key]);
}
