import type {
  BucketRef,
  DtError,
  Farewell,
  GroupSnapshot,
  LimitTarget,
  MemberRef,
  Registration,
  RepairReport,
  Report,
  View,
} from "@dt/core";
import { bucketName, readBucketName } from "@dt/core/ledger";
import {
  type Backend,
  type BackendParts,
  type Call,
  type NamedKind,
  type NamePage,
  partsOf,
  takeEach,
} from "@dt/core/store";
import { BucketSession } from "./buckets/bucket-session.ts";
import { BudgetSession } from "./budgets/budget-session.ts";
import { readLimit, writeLimit } from "./limits/limit-cell.ts";
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

/** What is kept in a cell of its own each: a key's permits, a budget, a bucket, a limit record. */
export type CellName =
  | { readonly kind: "permits" | "budget"; readonly name: string }
  | { readonly kind: "keyed"; readonly bucket: BucketRef }
  | { readonly kind: "limit"; readonly target: LimitTarget };

/** A database that compares and swaps. */
export interface CellDatabase extends BackendParts {
  readonly timeoutMs: number;
  /** This client's own id. */
  readonly client: string;
  readonly groups: Sessions<CellGroup>;
  /** Where something is kept. */
  cellOf(name: CellName): DocumentCell;
  /** One page of names: those of buckets as `bucketName` makes them. */
  names(kind: NamedKind, place: string): Promise<NamePage>;
  toDtError(error: unknown, call: Pick<Call, "what">): DtError;
}

/** A backend that computes here, and changes cells of the database on condition that no other client has. */
export function cellBackend(database: CellDatabase): Backend {
  const { groups, client, runtime, timeoutMs } = database;
  const own = { runtime, timeoutMs, client };
  const limitOf = (target: LimitTarget): DocumentCell => database.cellOf({ kind: "limit", target });
  const keys = new Sessions((name) => {
    const target = { kind: "permits", name } as const;
    return new PermitSession(database.cellOf(target), limitOf(target), own);
  });
  const budgets = new Sessions((name) => {
    const target = { kind: "budget", name } as const;
    return new BudgetSession(database.cellOf(target), limitOf(target), own);
  });
  const buckets = new Sessions((name) => {
    const bucket = readBucketName(name) as BucketRef;
    return new BucketSession(database.cellOf({ kind: "keyed", bucket }), limitOf({ kind: "keyed", ...bucket }), own);
  });
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
    take: takeEach((request, call) => buckets.run(bucketName(request), call, (one) => one.take(request, call.signal))),
    resetBucket: (bucket, call) => buckets.run(bucketName(bucket), call, (one) => one.reset(call.signal)),
    inspectBucket: (bucket, call) => buckets.run(bucketName(bucket), call, (one) => one.inspect(bucket)),
    listBuckets: listOf("keyed"),
    readLimit: (target, call) => {
      call.sent = true;
      return readLimit(limitOf(target), runtime);
    },
    writeLimit: (target, from, row, call) => {
      call.sent = true;
      return writeLimit(limitOf(target), from, row);
    },
    close: () => {
      groups.end();
      keys.end();
      budgets.end();
      buckets.end();
      return database.close();
    },
  };
}
