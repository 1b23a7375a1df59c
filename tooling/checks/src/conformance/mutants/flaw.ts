import type { Rule } from "@dt/conformance";
import type {
  BudgetLedger,
  CoordinationStore,
  Farewell,
  GroupSnapshot,
  KeyedLedger,
  LimitLedger,
  MemberRef,
  PermitLedger,
  Registration,
  RepairOptions,
  RepairReport,
  Report,
  StoreCapabilities,
  View,
} from "@dt/core";
import type { BucketFlaw } from "./bucket-flaw.ts";
import type { BudgetFlaw } from "./budget-flaw.ts";
import type { LimitFlaw } from "./limit-flaw.ts";
import type { PermitFlaw } from "./permit-flaw.ts";
import type { PlainTable } from "./plain-table.ts";
import type { SimulatedServer } from "./simulated-server.ts";
import type { Unchecked } from "./without-checks.ts";

/** One operation as the ledger gets it. */
export interface Operation<Request> {
  readonly table: PlainTable;
  readonly ref: MemberRef;
  readonly request: Request;
  readonly nowMs: number;
}

/** A repair, asked for or because an operation found damage. */
export type RepairOperation = Pick<Operation<unknown>, "table" | "nowMs">;

/** Does the operation as it should be done, or with another request. */
export type Proceed<Request, Answer> = (request?: Request) => Answer;

/** What a simulated store can do. */
export type Simulated = Required<
  Omit<CoordinationStore & PermitLedger & BudgetLedger & KeyedLedger & LimitLedger, "setUp">
>;

/** What is wrong with a store. Everything that is not overridden is as it should be. */
export interface Flaw {
  /** Under which name a group is kept. */
  readonly key?: (group: string) => string;
  readonly table?: new () => PlainTable;
  /** The time that an operation sees; `client` numbers the stores that were made. */
  readonly clock?: (nowMs: number, client: number) => number;
  readonly register?: (operation: Operation<Registration>, proceed: Proceed<Registration, View>) => View;
  readonly sync?: (operation: Operation<Report>, proceed: Proceed<Report, View>) => View;
  readonly deregister?: (operation: Operation<Farewell>, proceed: Proceed<Farewell, void>) => void;
  readonly inspect?: (snapshot: GroupSnapshot, table: PlainTable) => GroupSnapshot;
  /** What an operation that finds damage does before it is tried again; `proceed` repairs the group. */
  readonly heal?: (operation: RepairOperation, proceed: () => RepairReport) => void;
  readonly repair?: (
    operation: RepairOperation & { readonly request: RepairOptions },
    proceed: Proceed<RepairOptions, RepairReport>,
  ) => RepairReport;
  /** The time since which the data was certainly not lost, where the store can tell (`capabilities.dataAge`). */
  readonly dataSince?: (server: SimulatedServer) => number;
  /** Reads, lets other operations happen, and then writes. */
  readonly torn?: boolean;
  /** Serves changes as a database with locks does, in transactions; what is not said is done right. */
  readonly transactions?: TransactionFlaw;
  /** What the store promises that the others do not. */
  readonly capabilities?: Partial<StoreCapabilities>;
  /** Leaves out checks of what callers hand in. */
  readonly unchecked?: Unchecked;
  /** Requests that each call sends. Default 1. */
  readonly trips?: number;
  /** Puts something between the caller and the store. */
  readonly wrap?: (store: Simulated, server: SimulatedServer) => Simulated;
  /** What is wrong with the permits. */
  readonly permits?: PermitFlaw;
  /** What is wrong with the budgets. */
  readonly budgets?: BudgetFlaw;
  /** What is wrong with the buckets. */
  readonly buckets?: BucketFlaw;
  /** What is wrong with the stored limits. */
  readonly limits?: LimitFlaw;
}

/** What is wrong with a store's transactions. */
export interface TransactionFlaw {
  /** The answer leaves while the commit is still on its way. */
  readonly answersEarly?: boolean;
  /** The clock is read on arrival, before the wait for the lock. */
  readonly readsClockEarly?: boolean;
  /** What leaves the generation as it was reaches the disk only with the next change that does not. */
  readonly writesBehind?: boolean;
  /** Who waits for a lock gets it in any order, instead of that of arrival. */
  readonly unfair?: boolean;
  /** `inspect` waits for the lock too, instead of reading what was committed last. */
  readonly inspectLocks?: boolean;
}

/** A store that breaks one rule. */
export interface Mutant {
  /** What it does wrong, as a sentence. */
  readonly name: string;
  /** The rule that it breaks. */
  readonly rule: Rule;
  readonly flaw: Flaw;
}

export function mutant(name: string, rule: Rule, flaw: Flaw): Mutant {
  return { name, rule, flaw };
}

/** A mutant whose permits alone are wrong. */
export function permitMutant(name: string, rule: Rule, permits: PermitFlaw): Mutant {
  return { name, rule, flaw: { permits } };
}

/** A mutant whose budgets alone are wrong. */
export function budgetMutant(name: string, rule: Rule, budgets: BudgetFlaw): Mutant {
  return { name, rule, flaw: { budgets } };
}

/** A mutant whose buckets alone are wrong. */
export function bucketMutant(name: string, rule: Rule, buckets: BucketFlaw): Mutant {
  return { name, rule, flaw: { buckets } };
}

/** A mutant whose stored limits alone are wrong. */
export function limitMutant(name: string, rule: Rule, limits: LimitFlaw): Mutant {
  return { name, rule, flaw: { limits } };
}
