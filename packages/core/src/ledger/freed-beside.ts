import type { StoredRow } from "./rows.ts";
import type { GroupRow, RecordedGroup } from "./table.ts";

/**
 * What a group's row says of freed tokens (R20) is stored beside it, where versions before R20 do not look: they change
 * the row and not this. So it names the row that it was written with, and beside another one it counts as not known.
 */
export function freedBeside({ lastMs, generation, held, adopted, freedEpoch, spent }: GroupRow): StoredRow {
  return [lastMs, generation, held, adopted, freedEpoch, spent];
}

/** The whole row, of its stored part and what stands beside it: undefined or null where nothing does. */
export function withFreed<Row extends RecordedGroup>(
  row: Row,
  stored: unknown,
): Row & Pick<GroupRow, "freedEpoch" | "spent"> {
  if (Array.isArray(stored) && stored.length === 6) {
    const [lastMs, generation, held, adopted, freedEpoch, spent] = stored as unknown[];
    const isSameTime = lastMs === row.lastMs && generation === row.generation;
    const belongs = isSameTime && held === row.held && adopted === row.adopted;
    if (belongs && isCount(freedEpoch) && isCount(spent)) return { ...row, freedEpoch, spent };
  }
  return { ...row, freedEpoch: null, spent: 0 };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
