import { type DtError, isDtError } from "../errors/dt-error.ts";
import { PAGE_SIZE } from "../ledger/cursor.ts";
import { inspect } from "../ledger/inspect.ts";
import * as ledger from "../ledger/ledger.ts";
import { healing, type RepairTable, repair } from "../ledger/repair.ts";
import { writeSlotHint } from "../ledger/slot-hint-text.ts";
import { type Backend, type NamePage, partsOf } from "./backend.ts";
import type { Answer, Call } from "./call.ts";
import type { NamedKind } from "./listeners.ts";
import { tableBuckets } from "./table-buckets.ts";
import { tableBudgets } from "./table-budgets.ts";
import type { GroupTable, TableDatabase } from "./table-database.ts";
import { tableLimits } from "./table-limits.ts";
import { tablePermits } from "./table-permits.ts";
import { afterwards, begin } from "./transaction.ts";

/**
 * A backend that runs the ledger's own functions over tables, inside a transaction of the database.
 * @param database transactions, and the rows of a group and of a key
 * @example
 * class MyStore extends Store {
 *   constructor(options: MyOptions) {
 *     super(tableBackend(new MyDatabase(options)));
 *   }
 * }
 */
export function tableBackend<Transaction>(database: TableDatabase<Transaction>): Backend {
  const { capabilities, names, heals } = database;
  // What is kept is not lost while its members live: nobody can have used anything of a group that is new.
  const isKept = !capabilities.losesData;
  const change = changeOf(database);
  return {
    ...partsOf(database),
    register: (group, registration, call) => {
      const joined = change(
        group,
        (table, nowMs) => refusalKept(() => ledger.register(table, registration, nowMs, isKept ? nowMs : undefined)),
        call,
      );
      return afterwards(joined, (view) => {
        if (isDtError(view)) throw view;
        return view;
      });
    },
    sync: (group, member, report, call) =>
      change(group, (table, nowMs) => ledger.sync(table, member, report, nowMs), call),
    deregister: (group, member, farewell, call) =>
      change(group, (table, nowMs) => ledger.deregister(table, member, farewell, nowMs), call),
    inspect: (group, call) =>
      database.transaction("read", (tx, nowMs) => inspect(database.groupTable(tx, group), group, nowMs), call),
    ...(heals && {
      repair: (group, options, call) =>
        change(group, (table, nowMs) => repair(table as RepairTable, options, nowMs), call),
    }),
    ...(database.keyTable && tablePermits(database, database.keyTable.bind(database))),
    ...(names && { list: (place, call) => page(database, "group", place, call) }),
    ...(database.budgetTable && tableBudgets(database, database.budgetTable.bind(database))),
    ...(database.limitTable && tableLimits(database, database.limitTable.bind(database))),
    ...(names && database.budgetTable && { listBudgets: (place, call) => page(database, "budget", place, call) }),
    ...(database.bucketTable &&
      tableBuckets(database, database.bucketTable.bind(database), database.limitTable?.bind(database))),
    ...(names && database.bucketTable && { listBuckets: (place, call) => page(database, "keyed", place, call) }),
    ...(names && database.keyTable && { listPermits: (place, call) => page(database, "permits", place, call) }),
  };
}

type Change = <T>(group: string, operation: (table: GroupTable, nowMs: number) => T, call: Call) => Answer<T>;

function changeOf<Transaction>(database: TableDatabase<Transaction>): Change {
  return (group, operation, call) => {
    let table: GroupTable | undefined;
    const changed = database.transaction(
      "write",
      (transaction, nowMs) => {
        begin(call);
        const own = database.groupTable(transaction, group);
        table = own;
        if (!database.heals) return operation(own, nowMs);
        return healing(own as RepairTable, nowMs, () => operation(own, nowMs));
      },
      call,
    );
    return afterwards(changed, (answer) => {
      if (table?.newsworthy)
        database.changed?.({ kind: "group", name: group }, table.newlyPaused ? "pause" : undefined);
      for (const [member, hint] of table?.slots?.hints ?? [])
        database.changed?.({ kind: "slots", name: group, member }, writeSlotHint(hint));
      return answer;
    });
  };
}

/**
 * A refusal of another interval as an answer, so that the transaction is committed: the time that has passed counts,
 * and dead members are removed. Rolled back, they would keep the other interval out for ever.
 */
function refusalKept<T>(register: () => T): T | DtError {
  try {
    return register();
  } catch (error) {
    if (isDtError(error, "DT_INTERVAL_MISMATCH")) return error;
    throw error;
  }
}

function page<Transaction>(
  database: TableDatabase<Transaction>,
  kind: NamedKind,
  place: string,
  call: Call,
): Answer<NamePage> {
  const names = database.transaction("read", (transaction) => database.names?.(transaction, kind, place) ?? [], call);
  return afterwards(names, (read) => ({ names: read, next: read[PAGE_SIZE - 1] }));
}
