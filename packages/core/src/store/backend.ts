import type { BucketRef } from "../contract/bucket.ts";
import type { BucketSnapshot } from "../contract/bucket-snapshot.ts";
import type { SpendAnswer, SpendRequest } from "../contract/budget-ledger.ts";
import type { BudgetSnapshot } from "../contract/budget-snapshot.ts";
import type {
  Farewell,
  MemberRef,
  Registration,
  Report,
  StoreCapabilities,
  View,
} from "../contract/coordination-store.ts";
import type { GroupSnapshot, RepairOptions, RepairReport } from "../contract/inspect-and-repair.ts";
import type { BucketAnswer, BucketRequest, KeyedLedger } from "../contract/keyed-ledger.ts";
import type { LimitTarget } from "../contract/limit-ledger.ts";
import type { PermitRelease, PermitRequest, Reservation } from "../contract/permit-ledger.ts";
import type { PermitSnapshot } from "../contract/permit-snapshot.ts";
import type { DtError } from "../errors/dt-error.ts";
import type { LimitRecordRow, UncheckedLimitRecord } from "../limits/limit-row.ts";
import type { Answer, Call } from "./call.ts";
import type { CallRules } from "./calls.ts";
import type { Listen } from "./listeners.ts";
import type { SetUp } from "./set-up.ts";

/** One page of names as a backend reads it. */
export interface NamePage {
  /** Names, in an order that stays. */
  readonly names: readonly string[];
  /** Where the next page begins; absent on the last page. The shell makes the cursor of it. */
  readonly next?: string | undefined;
}

/** What a backend reads of a limit record. */
export interface StoredLimit {
  /** Its parts as they are stored: the shell checks them. Undefined where there is no record. */
  readonly stored: UncheckedLimitRecord | undefined;
  /** The store's time, in milliseconds. */
  readonly storeTimeMs: number;
}

/**
 * What is asked of a database. Arguments are checked, and the deadline runs, when a method is called. An operation that
 * is added to the contract is one method here, one in the shell, and one in each way in.
 */
export interface Operations {
  /**
   * As {@link CoordinationStore.register}.
   * @param group the group's name
   * @param registration the member, and the tokens that it claims
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  register(group: string, registration: Registration, call: Call): Answer<View>;
  /**
   * As {@link CoordinationStore.sync}.
   * @param group the group's name
   * @param member the member that calls: its id and its incarnation
   * @param report the tokens that the member holds and used
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  sync(group: string, member: MemberRef, report: Report, call: Call): Answer<View>;
  /**
   * As {@link CoordinationStore.deregister}.
   * @param group the group's name
   * @param member the member that calls: its id and its incarnation
   * @param farewell the tokens that the member used at last, and its level
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  deregister(group: string, member: MemberRef, farewell: Farewell, call: Call): Answer<void>;
  /**
   * As {@link CoordinationStore.inspect}.
   * @param group the group's name
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  inspect(group: string, call: Call): Answer<GroupSnapshot>;
  /**
   * As {@link CoordinationStore.repair}.
   * @param group the group's name
   * @param options whether the members are forgotten
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  repair?(group: string, options: RepairOptions, call: Call): Answer<RepairReport>;
  /**
   * As {@link CoordinationStore.list}, of names.
   * @param place where the page begins: the empty text, or `next` of the page before
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  list?(place: string, call: Call): Answer<NamePage>;

  /**
   * As {@link PermitLedger.reserve}.
   * @param key the key's name
   * @param request what is asked for
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  reserve?(key: string, request: PermitRequest, call: Call): Answer<Reservation>;
  /**
   * As {@link PermitLedger.release}.
   * @param key the key's name
   * @param release what is given back
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  release?(key: string, release: PermitRelease, call: Call): Answer<void>;
  /**
   * As {@link PermitLedger.resetPermits}.
   * @param key the key's name
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  resetPermits?(key: string, call: Call): Answer<void>;
  /**
   * As {@link PermitLedger.inspectPermits}.
   * @param key the key's name
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  inspectPermits?(key: string, call: Call): Answer<PermitSnapshot | undefined>;
  /**
   * As {@link PermitLedger.listPermits}, of names.
   * @param place as of {@link list}
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  listPermits?(place: string, call: Call): Answer<NamePage>;

  /**
   * As {@link BudgetLedger.spend}.
   * @param budget the budget's name
   * @param request what is settled, stated and asked for
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  spend?(budget: string, request: SpendRequest, call: Call): Answer<SpendAnswer>;
  /**
   * As {@link BudgetLedger.resetBudget}.
   * @param budget the budget's name
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  resetBudget?(budget: string, call: Call): Answer<void>;
  /**
   * As {@link BudgetLedger.inspectBudget}.
   * @param budget the budget's name
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  inspectBudget?(budget: string, call: Call): Answer<BudgetSnapshot | undefined>;
  /**
   * As {@link BudgetLedger.listBudgets}, of names.
   * @param place as of {@link list}
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  listBudgets?(place: string, call: Call): Answer<NamePage>;

  /**
   * Reads a limit record (L1). The shell makes {@link LimitLedger.readLimit} of it, and together with
   * {@link writeLimit} {@link LimitLedger.setLimit}.
   * @param target whose limit it is
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  readLimit?(target: LimitTarget, call: Call): Answer<StoredLimit>;
  /**
   * Compares and swaps a limit record (L1): true when it was written, false when the record is another one by now.
   * @param target whose limit it is
   * @param from the revision that it takes the place of: 0 for no record, null for whatever is there
   * @param row the new record
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  writeLimit?(target: LimitTarget, from: number | null, row: LimitRecordRow, call: Call): Answer<boolean>;

  /**
   * As {@link KeyedLedger.take}: an answer for each request, or the error that is this request's alone.
   * @param requests what is asked for
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  take?(requests: readonly BucketRequest[], call: Call): Answer<readonly (BucketAnswer | DtError)[]>;
  /**
   * As {@link KeyedLedger.resetBucket}.
   * @param bucket which one
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  resetBucket?(bucket: BucketRef, call: Call): Answer<void>;
  /**
   * As {@link KeyedLedger.inspectBucket}.
   * @param bucket which one
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  inspectBucket?(bucket: BucketRef, call: Call): Answer<BucketSnapshot | undefined>;
  /**
   * As {@link KeyedLedger.listBuckets}, of names: those of `bucketName`.
   * @param place as of {@link list}
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  listBuckets?(place: string, call: Call): Answer<NamePage>;
}

/**
 * What an adapter gives to {@link Store}. A part without a `?` is in every store; the method of another one appears on
 * the store exactly when the backend has it.
 */
export interface Backend extends Operations, CallRules {
  /** What the store can do. */
  readonly capabilities: StoreCapabilities;
  /** Absent where there is nothing to make. */
  readonly setUp?: SetUp;
  /** Opens what hints come from. Present exactly when `capabilities.hints` is true. */
  readonly listen?: Listen;
  /** Ends what the adapter opened itself. Called once; calls under way have failed by then. */
  close(): Answer<void>;
}

/** What of a backend is no operation. */
export type BackendParts = Omit<Backend, keyof Operations>;

/**
 * Those parts of an object, or of an instance of a class, whose methods stay its own.
 * @param given the parts, as properties and methods
 * @example const backend: Backend = { ...partsOf(database), ...operations };
 */
export function partsOf(given: Omit<BackendParts, "close"> & Partial<Pick<Backend, "close">>): BackendParts {
  const { capabilities, runtime, timeoutMs, setUp, listen, toDtError, notSent } = given;
  return {
    capabilities,
    runtime,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(setUp && { setUp }),
    ...(listen && { listen: listen.bind(given) }),
    ...(toDtError && { toDtError: toDtError.bind(given) }),
    ...(notSent && { notSent: notSent.bind(given) }),
    close: () => given.close?.(),
  };
}
