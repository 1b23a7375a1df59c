import { DtError, type StoreCapabilities } from "@dt/core";
import { PAGE_SIZE } from "@dt/core/ledger";
import { type Backend, tableBackend } from "@dt/core/store";
import { BucketSweep } from "./buckets/bucket-sweep.ts";
import { bucketsAfter, SqliteBucketTable } from "./buckets/sqlite-bucket-table.ts";
import { SqliteBudgetTable } from "./budgets/sqlite-budget-table.ts";
import { HintFile } from "./hint-file.ts";
import { SqliteLimits } from "./limits/sqlite-limits.ts";
import { hintsOf } from "./listen.ts";
import { OpenFile } from "./open-file.ts";
import { checkSqliteStoreOptions, type SqliteStoreOptions } from "./options.ts";
import { SqlitePermitTable } from "./permits/sqlite-permit-table.ts";
import { SqliteTable } from "./sqlite-table.ts";
import type { Statements } from "./statements.ts";

/** What every store in a file can do. */
export const sqliteCapabilities: StoreCapabilities = Object.freeze({
  demand: true,
  slots: true,
  name: "sqlite",
  clock: "host",
  ledger: true,
  losesData: false,
  hints: true,
});

/** Tables in one file. @throws DtError `DT_INVALID_OPTION` */
export function sqliteBackend(options: SqliteStoreOptions): Backend {
  const { path, migrate, timeoutMs, runtime } = checkSqliteStoreOptions(options);
  const file = new OpenFile(path, migrate, runtime);
  const hintFile = new HintFile(path);
  const bucketSweep = new BucketSweep();
  return tableBackend<Statements>({
    capabilities: sqliteCapabilities,
    runtime,
    timeoutMs,
    heals: true,
    transaction: (mode, operation, call) => file.run(call, (connection) => connection.transaction(mode, operation)),
    groupTable: (statements, group) => new SqliteTable(statements, group),
    keyTable: (statements, key, nowMs) => new SqlitePermitTable(statements, key, nowMs),
    budgetTable: (statements, budget, nowMs) => new SqliteBudgetTable(statements, budget, nowMs),
    bucketTable: (statements, bucket) => new SqliteBucketTable(statements, bucket),
    forgetBuckets: (statements, nowMs) => bucketSweep.step(statements, nowMs),
    limitTable: (statements) => new SqliteLimits(statements),
    names: (statements, kind, after) => {
      if (kind === "keyed") return bucketsAfter(statements, after);
      const { listGroups, listPermitKeys, listBudgets } = statements;
      const list = { group: listGroups, permits: listPermitKeys, budget: listBudgets }[kind];
      return (list.all(after, PAGE_SIZE) as unknown as readonly { name: string }[]).map(({ name }) => name);
    },
    changed: () => hintFile.write(),
    listen: (events) => hintsOf(file, hintFile, events),
    notSent: ({ what }) => {
      const problem = `did not get its turn within ${timeoutMs} ms: another process keeps ${path} locked`;
      return new DtError("DT_STORE_TIMEOUT", `${what} ${problem}. Nothing was changed`);
    },
    close: () => {
      hintFile.close();
      file.close();
    },
  });
}
