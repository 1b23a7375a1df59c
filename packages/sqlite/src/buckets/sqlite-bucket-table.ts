import type { BucketRef } from "@dt/core";
import {
  type BucketRow,
  type BucketTable,
  bucketMeansForMs,
  bucketName,
  damagedBucket,
  decodeBucketRow,
  encodeBucketRow,
  PAGE_SIZE,
  readBucketName,
} from "@dt/core/ledger";
import type { Statements } from "../statements.ts";

/** Times beyond the year 30,000 are not this library's. */
const MOST_MS = 1e15;

interface StoredBucket {
  readonly row: string;
  readonly keepUntilMs: number;
}

/** One bucket in the file, within one transaction. */
export class SqliteBucketTable implements BucketTable {
  readonly #statements: Statements;
  readonly #bucket: BucketRef;

  constructor(statements: Statements, bucket: BucketRef) {
    this.#statements = statements;
    this.#bucket = bucket;
  }

  row(): BucketRow | undefined {
    const { name, key } = this.#bucket;
    const stored = this.#statements.selectBucket.get(name, key) as StoredBucket | undefined;
    if (!stored) return undefined;
    const where = `the row of bucket ${bucketName(this.#bucket)} in buckets`;
    if (!(Math.abs(stored.keepUntilMs) <= MOST_MS)) throw damagedBucket(where, `keepUntilMs ${stored.keepUntilMs}`);
    return decodeBucketRow(parsed(stored.row, where), where);
  }

  putRow(row: BucketRow): void {
    const { name, key } = this.#bucket;
    const keepUntilMs = row.lastMs - row.offsetMs + bucketMeansForMs(row);
    this.#statements.putBucket.run(name, key, JSON.stringify(encodeBucketRow(row)), keepUntilMs);
  }

  forget(): void {
    const { name, key } = this.#bucket;
    this.#statements.forgetBucket.run(name, key);
  }
}

/** A page of the names of buckets, in the order of their parts. */
export function bucketsAfter(statements: Statements, after: string): readonly string[] {
  const { name, key } = readBucketName(after) ?? { name: "", key: "" };
  return (statements.listBuckets.all(name, key, PAGE_SIZE) as unknown as readonly BucketRef[]).map(bucketName);
}

/** @throws DtError `DT_STORE_DATA` */
function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damagedBucket(where, "something that is not JSON");
  }
}
