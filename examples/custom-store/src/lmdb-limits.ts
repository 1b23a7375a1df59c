import type { LimitTarget } from "@dt/core";
import type { LimitRecordRow } from "@dt/core/ledger";
import type { LimitTable } from "@dt/core/store";
import type { RootDatabase } from "lmdb";
import { short } from "./lmdb-names.ts";

/** The limit records as LMDB entries, inside one transaction. No group's name hashes to "limits". */
export class LmdbLimits implements LimitTable {
  readonly #db: RootDatabase;

  constructor(db: RootDatabase) {
    this.#db = db;
  }

  limit(target: LimitTarget): LimitRecordRow | undefined {
    return this.#db.get(placeOf(target)) as LimitRecordRow | undefined;
  }

  putLimit(target: LimitTarget, row: LimitRecordRow): void {
    this.#db.putSync(placeOf(target), row);
  }
}

function placeOf({ kind, name, key }: LimitTarget): string[] {
  return ["limits", kind, short(name), key === undefined ? "" : short(key)];
}
