import { checkSpendRequest } from "../budgets/check-spend-request.ts";
import type { BucketRef } from "../contract/bucket.ts";
import type { BucketSnapshot } from "../contract/bucket-snapshot.ts";
import type { BudgetLedger, SpendAnswer, SpendRequest } from "../contract/budget-ledger.ts";
import type { BudgetSnapshot } from "../contract/budget-snapshot.ts";
import type {
  CoordinationStore,
  Farewell,
  MemberRef,
  Registration,
  Report,
  StoreCapabilities,
  View,
} from "../contract/coordination-store.ts";
import type { SlotHint } from "../contract/demand.ts";
import type { GroupSnapshot, RepairOptions, RepairReport } from "../contract/inspect-and-repair.ts";
import type { BucketAnswer, BucketRequest, KeyedLedger } from "../contract/keyed-ledger.ts";
import type { LimitChange, LimitLedger, LimitRecord, LimitTarget } from "../contract/limit-ledger.ts";
import type { BucketPage, BudgetPage, GroupPage, PermitPage } from "../contract/listing.ts";
import type { PermitLedger, PermitRelease, PermitRequest, Reservation } from "../contract/permit-ledger.ts";
import type { PermitSnapshot } from "../contract/permit-snapshot.ts";
import type { DtError } from "../errors/dt-error.ts";
import { checkName } from "../internal/check.ts";
import type { Listener } from "../internal/events.ts";
import { markVersion } from "../internal/version.ts";
import { readBucketName } from "../keyed/bucket-name.ts";
import { checkBucketRef, checkBucketRequests } from "../keyed/check-bucket-request.ts";
import {
  checkFarewell,
  checkMember,
  checkRegistration,
  checkRepairOptions,
  checkReport,
} from "../ledger/check-request.ts";
import { readCursor, writeCursor } from "../ledger/cursor.ts";
import { readSlotHint } from "../ledger/slot-hint-text.ts";
import { checkLimitChange, checkLimitTarget } from "../limits/check-limit.ts";
import { checkPermitRelease, checkPermitRequest } from "../permits/check-permit-request.ts";
import type { Backend } from "./backend.ts";
import type { Answer, Call } from "./call.ts";
import { Calls } from "./calls.ts";
import { Listeners, type Topic } from "./listeners.ts";
import { OperationTimes, type StoreEvents } from "./operation-times.ts";
import { PreparedCalls } from "./set-up.ts";
import { readLimit, setLimit } from "./stored-limits.ts";

/** The methods that not every store has, and what of the backend they need. */
const OPTIONAL: readonly (readonly [method: keyof Store, ...needs: (keyof Backend)[]])[] = [
  ["setUp", "setUp"],
  ["repair", "repair"],
  ["list", "list"],
  ["onHint", "listen"],
  ["onSlotHint", "listen"],
  ["reserve", "reserve"],
  ["release", "release"],
  ["resetPermits", "resetPermits"],
  ["inspectPermits", "inspectPermits"],
  ["listPermits", "listPermits"],
  ["onPermitHint", "listen", "reserve"],
  ["spend", "spend"],
  ["resetBudget", "resetBudget"],
  ["inspectBudget", "inspectBudget"],
  ["listBudgets", "listBudgets"],
  ["setLimit", "readLimit", "writeLimit"],
  ["readLimit", "readLimit"],
  ["take", "take"],
  ["resetBucket", "resetBucket"],
  ["inspectBucket", "inspectBucket"],
  ["listBuckets", "listBuckets"],
];

/**
 * Every store: the contracts of shares, permits, budgets, buckets and stored limits, over what an adapter gives as a
 * {@link Backend}. Here is what all stores have in common: checks of arguments, deadlines, errors and their effect,
 * cursors, hints, closing. Each method follows {@link CoordinationStore}, {@link PermitLedger}, {@link BudgetLedger},
 * {@link KeyedLedger} or {@link LimitLedger}, where the rules are. A method that the backend lacks is undefined on the
 * store.
 */
export class Store implements CoordinationStore, PermitLedger, BudgetLedger, KeyedLedger, LimitLedger {
  static {
    markVersion(Store.prototype);
  }

  readonly capabilities: StoreCapabilities;
  /** Of its optional parts those are used whose methods the store has. */
  readonly #backend: Required<Backend>;
  readonly #calls: Calls;
  readonly #prepared: PreparedCalls | undefined;
  readonly #listeners: Listeners | undefined;
  readonly #operations: OperationTimes;

  constructor(backend: Backend) {
    const { capabilities, runtime, setUp, listen } = backend;
    this.capabilities = capabilities;
    this.#backend = backend as Required<Backend>;
    this.#operations = new OperationTimes(capabilities.name, runtime);
    this.#calls = new Calls(backend);
    this.#prepared = setUp && new PreparedCalls(this.#calls, setUp, capabilities.name);
    this.#listeners = listen && new Listeners(listen.bind(backend), this.#calls, runtime);
    for (const [method, ...needs] of OPTIONAL) {
      const isThere =
        needs.every((part) => backend[part] !== undefined) && (method !== "onSlotHint" || capabilities.slots);
      if (this[method] === Store.prototype[method] && !isThere)
        Object.defineProperty(this, method, { value: undefined, writable: true, configurable: true });
    }
  }

  /**
   * Listens to an event: `operation` comes with the end of each operation. Returns the function that ends it. Nothing
   * is measured while nothing listens.
   * @param event the event's name: docs/events.md has its fields
   * @param listener called with each event
   * @throws DtError `DT_INVALID_OPTION`
   * @example store.on("operation", ({ operation, durationMs, error }) => console.log(operation, durationMs, error))
   */
  on<Name extends keyof StoreEvents>(event: Name, listener: Listener<StoreEvents[Name]>): () => void {
    return this.#operations.on(event, listener);
  }

  async setUp(signal?: AbortSignal): Promise<void> {
    await this.#prepared?.make(signal);
  }

  async register(group: string, registration: Registration, signal?: AbortSignal): Promise<View> {
    checkRegistration(group, registration);
    return this.#run("register", signal, (call) => this.#backend.register(group, registration, call));
  }

  async sync(group: string, member: MemberRef, report: Report, signal?: AbortSignal): Promise<View> {
    checkReport(group, member, report);
    return this.#run("sync", signal, (call) => this.#backend.sync(group, member, report, call));
  }

  async deregister(group: string, member: MemberRef, farewell: Farewell, signal?: AbortSignal): Promise<void> {
    checkFarewell(group, member, farewell);
    return this.#run("deregister", signal, (call) => this.#backend.deregister(group, member, farewell, call));
  }

  async inspect(group: string, signal?: AbortSignal): Promise<GroupSnapshot> {
    checkName("group", group);
    return this.#run("inspect", signal, (call) => this.#backend.inspect(group, call));
  }

  async repair(group: string, options: RepairOptions = {}, signal?: AbortSignal): Promise<RepairReport> {
    checkName("group", group);
    checkRepairOptions(options);
    return this.#run("repair", signal, (call) => this.#backend.repair(group, options, call));
  }

  async list(cursor?: string, signal?: AbortSignal): Promise<GroupPage> {
    const list = `${this.capabilities.name} groups`;
    const place = readCursor(list, cursor);
    const { names, next } = await this.#run("list", signal, (call) => this.#backend.list(place, call));
    return { groups: names, ...(next !== undefined && { next: writeCursor(list, next) }) };
  }

  async onHint(group: string, listener: (about?: "pause") => void, signal?: AbortSignal): Promise<() => void> {
    checkName("group", group);
    const heard = (text?: string): void => listener(text === "pause" ? text : undefined);
    return this.#onHint({ kind: "group", name: group }, heard, signal);
  }

  async onSlotHint(
    group: string,
    member: MemberRef,
    listener: (hint: SlotHint | undefined) => void,
    signal?: AbortSignal,
  ): Promise<() => void> {
    checkMember(group, member);
    const heard = (text?: string): void => {
      const hint = readSlotHint(text);
      // A text that is no hint was sent by a stranger.
      if (hint !== undefined || text === undefined) listener(hint);
    };
    return this.#onHint({ kind: "slots", name: group, member: member.incarnation }, heard, signal);
  }

  async reserve(key: string, request: PermitRequest, signal?: AbortSignal): Promise<Reservation> {
    checkPermitRequest(key, request);
    return this.#run("reserve", signal, (call) => this.#backend.reserve(key, request, call));
  }

  async release(key: string, release: PermitRelease, signal?: AbortSignal): Promise<void> {
    checkPermitRelease(key, release);
    return this.#run("release", signal, (call) => this.#backend.release(key, release, call));
  }

  async resetPermits(key: string, signal?: AbortSignal): Promise<void> {
    checkName("key", key);
    return this.#run("resetPermits", signal, (call) => this.#backend.resetPermits(key, call));
  }

  async inspectPermits(key: string, signal?: AbortSignal): Promise<PermitSnapshot | undefined> {
    checkName("key", key);
    return this.#run("inspectPermits", signal, (call) => this.#backend.inspectPermits(key, call));
  }

  async listPermits(cursor?: string, signal?: AbortSignal): Promise<PermitPage> {
    const list = `${this.capabilities.name} keys`;
    const place = readCursor(list, cursor);
    const { names, next } = await this.#run("listPermits", signal, (call) => this.#backend.listPermits(place, call));
    return { keys: names, ...(next !== undefined && { next: writeCursor(list, next) }) };
  }

  async onPermitHint(key: string, listener: () => void, signal?: AbortSignal): Promise<() => void> {
    checkName("key", key);
    return this.#onHint({ kind: "permits", name: key }, () => listener(), signal);
  }

  async spend(budget: string, request: SpendRequest, signal?: AbortSignal): Promise<SpendAnswer> {
    checkSpendRequest(budget, request);
    return this.#run("spend", signal, (call) => this.#backend.spend(budget, request, call));
  }

  async resetBudget(budget: string, signal?: AbortSignal): Promise<void> {
    checkName("budget", budget);
    return this.#run("resetBudget", signal, (call) => this.#backend.resetBudget(budget, call));
  }

  async inspectBudget(budget: string, signal?: AbortSignal): Promise<BudgetSnapshot | undefined> {
    checkName("budget", budget);
    return this.#run("inspectBudget", signal, (call) => this.#backend.inspectBudget(budget, call));
  }

  async listBudgets(cursor?: string, signal?: AbortSignal): Promise<BudgetPage> {
    const list = `${this.capabilities.name} budgets`;
    const place = readCursor(list, cursor);
    const { names, next } = await this.#run("listBudgets", signal, (call) => this.#backend.listBudgets(place, call));
    return { budgets: names, ...(next !== undefined && { next: writeCursor(list, next) }) };
  }

  async setLimit(target: LimitTarget, change: LimitChange, signal?: AbortSignal): Promise<LimitRecord> {
    checkLimitTarget(target);
    checkLimitChange(target, change);
    return this.#run("setLimit", signal, (call) => setLimit(this.#backend, target, change, call));
  }

  async readLimit(target: LimitTarget, signal?: AbortSignal): Promise<LimitRecord | undefined> {
    checkLimitTarget(target);
    return this.#run("readLimit", signal, (call) => readLimit(this.#backend, target, call));
  }

  async take(requests: readonly BucketRequest[], signal?: AbortSignal): Promise<readonly (BucketAnswer | DtError)[]> {
    checkBucketRequests(requests);
    return this.#run("take", signal, (call) => this.#backend.take(requests, call));
  }

  async resetBucket(bucket: BucketRef, signal?: AbortSignal): Promise<void> {
    checkBucketRef("bucket", bucket);
    return this.#run("resetBucket", signal, (call) => this.#backend.resetBucket(bucket, call));
  }

  async inspectBucket(bucket: BucketRef, signal?: AbortSignal): Promise<BucketSnapshot | undefined> {
    checkBucketRef("bucket", bucket);
    return this.#run("inspectBucket", signal, (call) => this.#backend.inspectBucket(bucket, call));
  }

  async listBuckets(cursor?: string, signal?: AbortSignal): Promise<BucketPage> {
    const list = `${this.capabilities.name} buckets`;
    const place = readCursor(list, cursor);
    const { names, next } = await this.#run("listBuckets", signal, (call) => this.#backend.listBuckets(place, call));
    // A name that cannot be read is not this library's.
    const buckets = names.map(readBucketName).filter((bucket) => bucket !== undefined);
    return { buckets, ...(next !== undefined && { next: writeCursor(list, next) }) };
  }

  /** Ends what the store opened itself, never a client handed in, and fails calls under way. Idempotent. */
  async close(): Promise<void> {
    if (!this.#calls.close()) return;
    this.#listeners?.close();
    await this.#backend.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #onHint(topic: Topic, listener: (text?: string) => void, signal: AbortSignal | undefined): Answer<() => void> {
    return this.#run("onHint", signal, (call) => (this.#listeners as Listeners).add(topic, listener, call));
  }

  #run<T>(name: string, signal: AbortSignal | undefined, operation: (call: Call) => Answer<T>): Answer<T> {
    return this.#operations.measure(name, () => (this.#prepared ?? this.#calls).run(name, signal, operation));
  }
}
