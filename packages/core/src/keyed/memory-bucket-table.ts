import type { BucketRow, BucketTable } from "./bucket-table.ts";

/** One bucket in memory. */
export class MemoryBucketTable implements BucketTable {
  #row: BucketRow | undefined;

  row(): BucketRow | undefined {
    return this.#row && copyOf(this.#row);
  }

  putRow(row: BucketRow): void {
    this.#row = row;
  }

  forget(): void {
    this.#row = undefined;
  }
}

function copyOf(row: BucketRow): BucketRow {
  return {
    ...row,
    holds: row.holds.map((hold) => ({ ...hold })),
    slots: row.slots.map((slot) => ({ ...slot })),
    stored: row.stored && { ...row.stored },
  };
}
