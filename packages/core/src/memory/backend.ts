import { MemoryBudgetTable } from "../budgets/memory-budget-table.ts";
import type { StoreCapabilities } from "../contract/coordination-store.ts";
import { bucketName } from "../keyed/bucket-name.ts";
import { MemoryBucketTable } from "../keyed/memory-bucket-table.ts";
import { PAGE_SIZE } from "../ledger/cursor.ts";
import { MemoryPermitTable } from "../permits/memory-permit-table.ts";
import type { Backend } from "../store/backend.ts";
import type { HintEvents } from "../store/listeners.ts";
import { tableBackend } from "../store/table-backend.ts";
import { ForgettingMap } from "./forgetting-map.ts";
import { isBucketOver, isBudgetOver, isGroupOver, isKeyOver } from "./memory-life.ts";
import { MemoryLimits } from "./memory-limits.ts";
import { MemoryTable } from "./memory-table.ts";
import { checkMemoryStoreOptions, type MemoryStoreOptions } from "./options.ts";

const capabilities: StoreCapabilities = {
  name: "memory",
  clock: "host",
  ledger: true,
  losesData: false,
  hints: true,
  demand: true,
  slots: true,
};

/** Maps of tables in this process. Nothing waits for anything: a transaction is a function that runs to its end. */
export function memoryBackend(options: MemoryStoreOptions): Backend {
  const { runtime } = checkMemoryStoreOptions(options);
  const groups = new ForgettingMap<MemoryTable>((table) => isGroupOver(table, runtime.now()));
  const keys = new ForgettingMap<MemoryPermitTable>((table) => isKeyOver(table, runtime.now()));
  const budgets = new ForgettingMap<MemoryBudgetTable>((table) => isBudgetOver(table, runtime.now()));
  const limits = new MemoryLimits();
  const buckets = new ForgettingMap<MemoryBucketTable>((table) => isBucketOver(table, runtime.now()));
  const newTable = (name: string): MemoryTable => new MemoryTable(() => limits.limit({ kind: "group", name }));
  const newKey = (name: string): MemoryPermitTable =>
    new MemoryPermitTable(undefined, () => limits.limit({ kind: "permits", name }));
  const newBudget = (name: string): MemoryBudgetTable =>
    new MemoryBudgetTable(undefined, () => limits.limit({ kind: "budget", name }));
  let events: HintEvents | undefined;
  return tableBackend({
    capabilities,
    runtime,
    heals: true,
    transaction: (_mode, operation) => operation(undefined, runtime.now()),
    groupTable: (_, group) => (groups.get(group) ?? kept(groups, group, newTable(group))).begin(),
    keyTable: (_, key) => keys.get(key) ?? kept(keys, key, newKey(key)),
    budgetTable: (_, budget) => budgets.get(budget) ?? kept(budgets, budget, newBudget(budget)),
    limitTable: () => limits,
    bucketTable: (_, bucket) => {
      const name = bucketName(bucket);
      return buckets.get(name) ?? kept(buckets, name, new MemoryBucketTable());
    },
    names: (_, kind, after) => {
      // A refusal, a reset and a look leave a table without a row behind.
      const used = {
        group: () => groups.names().filter((name) => groups.get(name)?.group()),
        permits: () => keys.names().filter((name) => keys.get(name)?.row()),
        keyed: () => buckets.names().filter((name) => buckets.get(name)?.row()),
        budget: () => budgets.names().filter((name) => budgets.get(name)?.row()),
      };
      return used[kind]()
        .filter((name) => name > after)
        .sort()
        .slice(0, PAGE_SIZE);
    },
    changed: (topic, text) => events?.onHint(topic, text),
    listen: (opened) => {
      events = opened;
      return { listen: () => undefined, close: () => (events = undefined) };
    },
    close: () => {
      groups.clear();
      keys.clear();
      budgets.clear();
      limits.clear();
      buckets.clear();
    },
  });
}

function kept<Table>(tables: ForgettingMap<Table>, name: string, table: Table): Table {
  tables.set(name, table);
  return table;
}
