import { CasPermitLedger, StoreShell } from "@dt/cas";
import {
  type CoordinationStore,
  type Farewell,
  type GroupPage,
  type GroupSnapshot,
  type MemberRef,
  type PermitLedger,
  type PermitPage,
  type PermitRelease,
  type PermitRequest,
  type PermitSnapshot,
  type Registration,
  type RepairOptions,
  type RepairReport,
  type Report,
  type Reservation,
  randomId,
  type StoreCapabilities,
  type View,
} from "@dt/core";
import { checkFarewell, checkName, checkRegistration, checkRepairOptions, checkReport } from "@dt/core/ledger";
import type { Driver } from "./driver.ts";
import { toDtError } from "./dynamodb-errors.ts";
import { GroupSession } from "./group-session.ts";
import { groupKeys, permitKey } from "./keys.ts";
import { listNames, type NamePage, placeOf } from "./listing.ts";
import { checkOptions, type DynamoDbStoreOptions } from "./options.ts";
import { DynamoDbPermitCell } from "./permits/dynamodb-permit-cell.ts";

/** What every DynamoDB store can do. */
export const dynamodbCapabilities: StoreCapabilities = {
  name: "dynamodb",
  clock: "hybrid",
  ledger: true,
  losesData: false,
  push: false,
  demand: true,
  demandMembers: 50,
};

/**
 * The ledger in a DynamoDB table: one item for a group's ledger, changed by conditional writes; one small item for each
 * member's heartbeats; and a hybrid logical clock, since DynamoDB has no clock to ask; and one item for each key's
 * permits. Every method follows {@link CoordinationStore} or {@link PermitLedger}, where the rules are, and throws its
 * errors; in addition `DT_STORE_UNSUITABLE` when the table is missing or access is denied, and `DT_STORE_DATA` when an
 * item was written by a newer version.
 */
export class DynamoDbStore implements CoordinationStore, PermitLedger {
  readonly capabilities: StoreCapabilities = dynamodbCapabilities;
  readonly #driver: Driver;
  readonly #prefix: string;
  readonly #shell: StoreShell<GroupSession>;
  readonly #permits: CasPermitLedger;

  /**
   * Opens nothing yet: the first call does.
   * @throws DtError `DT_INVALID_OPTION`
   */
  constructor(options: DynamoDbStoreOptions) {
    const { driver, prefix, timeoutMs, runtime } = checkOptions(options);
    const context = { driver, runtime, timeoutMs, client: randomId(runtime) };
    const open = (group: string): GroupSession => new GroupSession(groupKeys(prefix, group), context);
    this.#driver = driver;
    this.#prefix = prefix;
    this.#shell = new StoreShell({ name: "dynamodb", runtime, timeoutMs, open, toDtError });
    const nextWriter = (): string => randomId(runtime);
    const cellOf = (key: string): DynamoDbPermitCell =>
      new DynamoDbPermitCell(driver, permitKey(prefix, key), nextWriter);
    this.#permits = new CasPermitLedger({ ...context, name: "dynamodb", cellOf, toDtError });
  }

  async register(group: string, registration: Registration, signal?: AbortSignal): Promise<View> {
    checkRegistration(group, registration);
    return this.#shell.inSession("register", group, signal, (session, over) => session.register(registration, over));
  }

  async sync(group: string, member: MemberRef, report: Report, signal?: AbortSignal): Promise<View> {
    checkReport(group, member, report);
    return this.#shell.inSession("sync", group, signal, (session, over) => session.sync(member, report, over));
  }

  async deregister(group: string, member: MemberRef, farewell: Farewell, signal?: AbortSignal): Promise<void> {
    checkFarewell(group, member, farewell);
    const call = (session: GroupSession, over: AbortSignal) => session.deregister(member, farewell, over);
    return this.#shell.inSession("deregister", group, signal, call);
  }

  async inspect(group: string, signal?: AbortSignal): Promise<GroupSnapshot> {
    checkName("group", group);
    return this.#shell.inSession("inspect", group, signal, (session) => session.inspect(group));
  }

  /**
   * Checks the group's items and mends what is wrong; with `reset`, begins the group again whatever it is like. Safe
   * while members live: they come back and claim what they use, and nobody is raised for a stale age. What a newer
   * version wrote is refused, unless the group is reset.
   * @throws DtError with the codes of R16, and `DT_STORE_DATA` for a newer version
   */
  async repair(group: string, options: RepairOptions = {}, signal?: AbortSignal): Promise<RepairReport> {
    checkName("group", group);
    checkRepairOptions(options);
    const { reset = false } = options;
    return this.#shell.inSession("repair", group, signal, (session) => session.repair(reset));
  }

  /** Reads the whole table, a part for each page: whoever asks needs `dynamodb:Scan`, which no member does. */
  async list(cursor?: string, signal?: AbortSignal): Promise<GroupPage> {
    const { names, ...next } = await this.#list("groups", cursor, signal);
    return { groups: names, ...next };
  }

  reserve(key: string, request: PermitRequest, signal?: AbortSignal): Promise<Reservation> {
    return this.#permits.reserve(key, request, signal);
  }

  release(key: string, release: PermitRelease, signal?: AbortSignal): Promise<void> {
    return this.#permits.release(key, release, signal);
  }

  resetPermits(key: string, signal?: AbortSignal): Promise<void> {
    return this.#permits.resetPermits(key, signal);
  }

  inspectPermits(key: string, signal?: AbortSignal): Promise<PermitSnapshot | undefined> {
    return this.#permits.inspectPermits(key, signal);
  }

  /** As {@link list}. */
  async listPermits(cursor?: string, signal?: AbortSignal): Promise<PermitPage> {
    const { names, ...next } = await this.#list("keys", cursor, signal);
    return { keys: names, ...next };
  }

  /** Ends the client if the store made it, and fails pending calls. Idempotent. */
  async close(): Promise<void> {
    if (!this.#shell.close()) return;
    this.#permits.close();
    this.#driver.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #list(what: "groups" | "keys", cursor: string | undefined, signal?: AbortSignal): Promise<NamePage> {
    const from = placeOf(what, cursor);
    return this.#shell.run("list", signal, () => listNames(this.#driver, what, this.#prefix, from));
  }
}

/** A coordination store in DynamoDB; the same as `new DynamoDbStore(options)`. */
export function dynamodbStore(options: DynamoDbStoreOptions): DynamoDbStore {
  return new DynamoDbStore(options);
}
