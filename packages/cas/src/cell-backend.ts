import type { DtError, Farewell, GroupSnapshot, MemberRef, Registration, RepairReport, Report, View } from "@dt/core";
import { type Backend, type BackendParts, type Call, type NamedKind, type NamePage, partsOf } from "@dt/core/store";
import { BudgetSession } from "./budgets/budget-session.ts";
import { PermitSession } from "./permits/permit-session.ts";
import { type Session, Sessions } from "./sessions.ts";
import type { DocumentCell } from "./timed-document/document-cell.ts";

/** One group as a client takes part in it. Once `over` has aborted, no caller waits for an answer. */
export interface CellGroup extends Session {
  register(request: Registration, over: AbortSignal): Promise<View>;
  sync(ref: MemberRef, request: Report, over: AbortSignal): Promise<View>;
  deregister(ref: MemberRef, request: Farewell, over: AbortSignal): Promise<void>;
  inspect(group: string): Promise<GroupSnapshot>;
  repair(reset: boolean): Promise<RepairReport>;
}

/** What is kept as one document each. */
export type DocumentName = Exclude<NamedKind, "group">;

/** A database that compares and swaps. */
export interface CellDatabase extends BackendParts {
  readonly timeoutMs: number;
  /** This client's own id. */
  readonly client: string;
  readonly groups: Sessions<CellGroup>;
  /** Where a key's permits, or a budget, are kept. */
  cellOf(kind: DocumentName, name: string): DocumentCell;
  names(kind: NamedKind, place: string): Promise<NamePage>;
  toDtError(error: unknown, call: Pick<Call, "what">): DtError;
}

/** A backend that computes here, and changes cells of the database on condition that no other client has. */
export function cellBackend(database: CellDatabase): Backend {
  const { groups, client, runtime, timeoutMs } = database;
  const own = { runtime, timeoutMs, client };
  const keys = new Sessions((key) => new PermitSession(database.cellOf("permits", key), own));
  const budgets = new Sessions((budget) => new BudgetSession(database.cellOf("budget", budget), own));
  const listOf = (kind: NamedKind) => (place: string, call: Call) => {
    call.sent = true;
    return database.names(kind, place);
  };
  return {
    ...partsOf(database),
    register: (group, registration, call) => groups.run(group, call, (one) => one.register(registration, call.signal)),
    sync: (group, member, report, call) => groups.run(group, call, (one) => one.sync(member, report, call.signal)),
    deregister: (group, member, farewell, call) =>
      groups.run(group, call, (one) => one.deregister(member, farewell, call.signal)),
    inspect: (group, call) => groups.run(group, call, (one) => one.inspect(group)),
    repair: (group, { reset = false }, call) => groups.run(group, call, (one) => one.repair(reset)),
    list: listOf("group"),
    reserve: (key, request, call) => keys.run(key, call, (one) => one.reserve(request, call.signal)),
    release: (key, release, call) => keys.run(key, call, (one) => one.release(release, call.signal)),
    resetPermits: (key, call) => keys.run(key, call, (one) => one.reset(call.signal)),
    // The time told may be that of the last record: see DocumentClock.
    inspectPermits: (key, call) => keys.run(key, call, (one) => one.inspect(key)),
    listPermits: listOf("permits"),
    spend: (budget, request, call) => budgets.run(budget, call, (one) => one.spend(request, call.signal)),
    resetBudget: (budget, call) => budgets.run(budget, call, (one) => one.reset(call.signal)),
    inspectBudget: (budget, call) => budgets.run(budget, call, (one) => one.inspect(budget)),
    listBudgets: listOf("budget"),
    close: () => {
      groups.end();
      keys.end();
      budgets.end();
      return database.close();
    },
  };
}
