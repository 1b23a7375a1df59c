import type { BucketRow, BucketTable } from "@dt/core/ledger";

/** One bucket, kept as plainly as can be: the sequential specification's state, and what a mutant overrides. */
export class PlainBucketTable implements BucketTable {
  bucket: BucketRow | undefined;

  row(): BucketRow | undefined {
    return this.bucket && structuredClone(this.bucket);
  }

  putRow(row: BucketRow): void {
    this.bucket = structuredClone(row);
  }

  forget(): void {
    this.bucket = undefined;
  }

  /** Takes over the content of another table. */
  become(other: PlainBucketTable): void {
    this.bucket = other.row();
  }

  clone(): PlainBucketTable {
    const copy = new PlainBucketTable();
    copy.become(this);
    return copy;
  }
}
