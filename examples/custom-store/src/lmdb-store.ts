import { type StoreCapabilities, systemRuntime } from "@dt/core";
import { Store, tableBackend } from "@dt/core/store";
import { openShared, release } from "./environment.ts";
import { forgetBuckets, LmdbBucketTable } from "./lmdb-bucket-table.ts";
import { LmdbBudgetTable } from "./lmdb-budget-table.ts";
import { LmdbLimits } from "./lmdb-limits.ts";
import { namesAfter } from "./lmdb-names.ts";
import { LmdbPermitTable } from "./lmdb-permit-table.ts";
import { LmdbTable } from "./lmdb-table.ts";

export const lmdbCapabilities: StoreCapabilities = {
  name: "lmdb",
  clock: "host",
  ledger: true,
  losesData: false,
  hints: false,
  demand: true,
};

/**
 * A coordination store, and a ledger of permits, budgets, buckets and limits, in one LMDB file for processes on one
 * machine. The clock is the machine's; the time of groups, keys, budgets and buckets absorbs its jumps.
 */
export function lmdbStore({ path, timeoutMs = 1_000 }: { readonly path: string; readonly timeoutMs?: number }): Store {
  const db = openShared(path);
  return new Store(
    tableBackend({
      capabilities: lmdbCapabilities,
      runtime: systemRuntime,
      timeoutMs,
      transaction: (_mode, operation) => db.transaction(() => operation(db, Date.now())),
      groupTable: (_, group) => new LmdbTable(db, group),
      keyTable: (_, key) => new LmdbPermitTable(db, key),
      budgetTable: (_, budget) => new LmdbBudgetTable(db, budget),
      bucketTable: (_, bucket) => new LmdbBucketTable(db, bucket),
      forgetBuckets,
      limitTable: () => new LmdbLimits(db),
      names: (_, kind, after) => namesAfter(db, kind, after),
      close: () => release(path),
    }),
  );
}
