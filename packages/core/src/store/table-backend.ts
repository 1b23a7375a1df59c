import type { DtError } from "../errors/dt-error.ts";
import { PAGE_SIZE } from "../ledger/cursor.ts";
import { inspect } from "../ledger/inspect.ts";
import * as ledger from "../ledger/ledger.ts";
import { healing, type RepairTable, repair } from "../ledger/repair.ts";
import type { LedgerTable } from "../ledger/table.ts";
import type { Answer, Backend, NamePage } from "./backend.ts";
import type { Call } from "./call.ts";
import type { Topic } from "./listeners.ts";
import { type KeyTable, tablePermits } from "./table-permits.ts";
import { afterwards, begin } from "./transaction.ts";

/** One group's rows in one transaction. */
export interface GroupTable extends LedgerTable {
  /** True when what was written is something that watchers wait for. For a store that pushes. */
  readonly newsworthy?: boolean;
}

/** A database that runs JavaScript inside a transaction. */
export interface TableDatabase<Transaction> extends Pick<Backend, "capabilities" | "runtime"> {
  readonly timeoutMs?: number;
  /**
   * Runs `operation` as a whole or not at all, alone among all that write; `read` only needs a consistent view. `nowMs`
   * is the time of the database's clock or, where the machine's is the one that all processes share, of that.
   */
  transaction<T>(
    mode: "read" | "write",
    operation: (transaction: Transaction, nowMs: number) => T,
    call: Call,
  ): Answer<T>;
  groupTable(transaction: Transaction, group: string): GroupTable;
  /** True where every table of a group is a {@link RepairTable}: damage is mended, also on request. */
  readonly heals?: boolean;
  /** Absent where the store keeps no permits. */
  keyTable?(transaction: Transaction, key: string, nowMs: number): KeyTable;
  /** The first {@link PAGE_SIZE} names after this one, in any order that stays. Absent where they are not kept. */
  names?(transaction: Transaction, kind: Topic["kind"], after: string): readonly string[];
  /** Hears of what watchers wait for, after the commit. */
  changed?(topic: Topic): void;
  readonly listen?: Backend["listen"];
  toDtError?(error: unknown, call: Call): DtError;
  notSent?(call: Call, cause: DtError): DtError;
  close?(): Answer<void>;
}

/** A backend that runs the ledger's own functions over tables, inside a transaction of the database. */
export function tableBackend<Transaction>(database: TableDatabase<Transaction>): Backend {
  const { capabilities, runtime, timeoutMs, names, heals, listen, toDtError, notSent } = database;
  // What is kept is not lost while its members live: nobody can have used anything of a group that is new.
  const isKept = !capabilities.losesData;
  const change = changeOf(database);
  return {
    capabilities,
    runtime,
    register: (group, registration, call) =>
      change(group, (table, nowMs) => ledger.register(table, registration, nowMs, isKept ? nowMs : undefined), call),
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
    ...(names && database.keyTable && { listPermits: (place, call) => page(database, "permits", place, call) }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(listen && { listen }),
    ...(toDtError && { toDtError }),
    ...(notSent && { notSent }),
    close: () => database.close?.(),
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
      if (table?.newsworthy) database.changed?.({ kind: "group", name: group });
      return answer;
    });
  };
}

function page<Transaction>(
  database: TableDatabase<Transaction>,
  kind: Topic["kind"],
  place: string,
  call: Call,
): Answer<NamePage> {
  const names = database.transaction("read", (transaction) => database.names?.(transaction, kind, place) ?? [], call);
  return afterwards(names, (read) => ({ names: read, next: read[PAGE_SIZE - 1] }));
}
