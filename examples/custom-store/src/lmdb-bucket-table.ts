import type { BucketRef } from "@dt/core";
import { type BucketRow, type BucketTable, bucketMeansForMs, bucketName } from "@dt/core/ledger";
import type { RootDatabase } from "lmdb";
import { forgetName, noteName, short } from "./lmdb-names.ts";

type Key = (string | number)[];

/** So much longer a bucket is kept, so that one in use moves in the order of forgetting every few seconds at most. */
const KEEP_MS = 5_000;

/** Buckets that one transaction forgets at most. */
const MOST_FORGOTTEN = 500;

interface Stored {
  readonly row: BucketRow;
  /** The machine's time after which the bucket may be forgotten. */
  readonly untilMs: number;
}

/**
 * One bucket as LMDB entries, inside one write transaction: what is known of it, and its place in the order of
 * forgetting. No group's name hashes to "keyed", so that buckets and groups do not meet.
 */
export class LmdbBucketTable implements BucketTable {
  readonly #db: RootDatabase;
  readonly #name: string;

  constructor(db: RootDatabase, bucket: BucketRef) {
    this.#db = db;
    this.#name = bucketName(bucket);
  }

  row(): BucketRow | undefined {
    return this.#stored()?.row;
  }

  putRow(row: BucketRow): void {
    const before = this.#stored();
    const neededMs = row.lastMs - row.offsetMs + bucketMeansForMs(row);
    const untilMs = before && neededMs <= before.untilMs ? before.untilMs : neededMs + KEEP_MS;
    this.#db.putSync(placeOf(this.#name), { row, untilMs });
    if (before?.untilMs === untilMs) return;
    if (before) this.#db.removeSync(turnOf(this.#name, before));
    this.#db.putSync(turnOf(this.#name, { untilMs }), this.#name);
    noteName(this.#db, "keyed", this.#name);
  }

  forget(): void {
    const before = this.#stored();
    if (before) this.#db.removeSync(turnOf(this.#name, before));
    this.#db.removeSync(placeOf(this.#name));
    forgetName(this.#db, "keyed", this.#name);
  }

  #stored(): Stored | undefined {
    return this.#db.get(placeOf(this.#name)) as Stored | undefined;
  }
}

/** Forgets some of the buckets that mean nothing any more. Inside a write transaction. */
export function forgetBuckets(db: RootDatabase, nowMs: number): void {
  const over = { start: ["keyed", "forget"], end: ["keyed", "forget", nowMs], limit: MOST_FORGOTTEN };
  for (const { key, value } of [...db.getRange(over)]) {
    db.removeSync(key);
    db.removeSync(placeOf(value as string));
    forgetName(db, "keyed", value as string);
  }
}

function placeOf(name: string): Key {
  return ["keyed", "row", short(name)];
}

/** Where a bucket is in the order of forgetting. */
function turnOf(name: string, { untilMs }: Pick<Stored, "untilMs">): Key {
  return ["keyed", "forget", untilMs, short(name)];
}
