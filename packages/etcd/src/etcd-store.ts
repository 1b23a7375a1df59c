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
import {
  checkFarewell,
  checkName,
  checkRegistration,
  checkRepairOptions,
  checkReport,
  readCursor,
} from "@dt/core/ledger";
import { toDtError } from "./etcd-errors.ts";
import { GroupSession, type SessionContext } from "./group-session.ts";
import { HeadListener } from "./head-listener.ts";
import { type KeyListener, KeyWatch } from "./key-watch.ts";
import { groupKeys, permitKey } from "./keys.ts";
import { GROUPS, KEYS, listGroups, listPermitKeys } from "./listing.ts";
import { checkOptions, type EtcdStoreOptions } from "./options.ts";
import { EtcdPermitCell } from "./permits/etcd-permit-cell.ts";
import { Leases } from "./permits/leases.ts";
import { PermitListener } from "./permits/permit-listener.ts";

/** What every etcd store can do. */
export const etcdCapabilities: StoreCapabilities = {
  name: "etcd",
  clock: "hybrid",
  ledger: true,
  losesData: false,
  push: true,
  demand: true,
  demandMembers: 100,
};

/**
 * The ledger in etcd: compare-and-swap on a few small keys, leases for liveness, and a hybrid logical clock, since etcd
 * has no clock to ask; and permits in one key for each. Every method follows {@link CoordinationStore} or
 * {@link PermitLedger}, where the rules are, and throws its errors; in addition `DT_STORE_UNSUITABLE` when etcd refuses
 * the user, and `DT_STORE_DATA` when the keys were written by a newer version.
 */
export class EtcdStore implements CoordinationStore, PermitLedger {
  readonly capabilities: StoreCapabilities = etcdCapabilities;
  readonly #prefix: string;
  readonly #context: SessionContext;
  readonly #shell: StoreShell<GroupSession>;
  readonly #permits: CasPermitLedger;
  readonly #watches = new Set<KeyWatch>();

  /**
   * Opens nothing yet: the first call does.
   * @throws DtError `DT_INVALID_OPTION`
   */
  constructor(options: EtcdStoreOptions) {
    const { driver, prefix, timeoutMs, runtime } = checkOptions(options);
    const context = { driver, runtime, timeoutMs, client: randomId(runtime) };
    const open = (group: string): GroupSession => new GroupSession(groupKeys(prefix, group), context);
    this.#prefix = prefix;
    this.#context = context;
    this.#shell = new StoreShell({ name: "etcd", runtime, timeoutMs, open, toDtError });
    const leases = new Leases(driver, runtime);
    const cellOf = (key: string): EtcdPermitCell => new EtcdPermitCell(driver, permitKey(prefix, key), leases);
    this.#permits = new CasPermitLedger({ ...context, name: "etcd", cellOf, toDtError });
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

  /** Hints by a watch of etcd's, which is made again when it breaks. */
  async watch(group: string, onChange: () => void, signal?: AbortSignal): Promise<() => void> {
    checkName("group", group);
    const { head: key } = groupKeys(this.#prefix, group);
    const onHead = ({ timeMs }: { readonly timeMs: number }): void => this.#shell.session(group)?.clock.observe(timeMs);
    return this.#watch(key, new HeadListener(key, onHead, onChange), signal);
  }

  /**
   * Looks through all keys of the group and mends what is wrong; with `reset`, begins the group again whatever it is
   * like. Safe while members live: they come back and claim what they use, and nobody is raised for a stale age. What a
   * newer version wrote is refused, unless the group is reset.
   * @throws DtError with the codes of R16, and `DT_STORE_DATA` for a newer version
   */
  async repair(group: string, options: RepairOptions = {}, signal?: AbortSignal): Promise<RepairReport> {
    checkName("group", group);
    checkRepairOptions(options);
    const { reset = false } = options;
    return this.#shell.inSession("repair", group, signal, (session) => session.repair(reset));
  }

  async list(cursor?: string, signal?: AbortSignal): Promise<GroupPage> {
    const after = readCursor(GROUPS, cursor);
    const list = () => listGroups(this.#context.driver, this.#prefix, after);
    const { names, ...next } = await this.#shell.run("list", signal, list);
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

  async listPermits(cursor?: string, signal?: AbortSignal): Promise<PermitPage> {
    const after = readCursor(KEYS, cursor);
    const list = () => listPermitKeys(this.#context.driver, this.#prefix, after);
    const { names, ...next } = await this.#shell.run("listPermits", signal, list);
    return { keys: names, ...next };
  }

  /** Hints by a watch of etcd's, which is made again when it breaks. */
  async watchPermits(key: string, onFreed: () => void, signal?: AbortSignal): Promise<() => void> {
    checkName("key", key);
    const where = permitKey(this.#prefix, key);
    return this.#watch(where, new PermitListener(where, onFreed), signal);
  }

  /** Closes the client if the store made it, and fails pending calls. Idempotent. */
  async close(): Promise<void> {
    if (!this.#shell.close()) return;
    this.#permits.close();
    for (const watch of this.#watches) watch.stop();
    this.#watches.clear();
    this.#context.driver.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #watch(key: string, listener: KeyListener, signal: AbortSignal | undefined): Promise<() => void> {
    const { driver, runtime } = this.#context;
    const watch = new KeyWatch(driver, key, runtime, listener);
    const stop = (): void => {
      watch.stop();
      this.#watches.delete(watch);
    };
    this.#watches.add(watch);
    try {
      await this.#shell.run("watch", signal, () => watch.start());
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }
}

/** A coordination store in etcd; the same as `new EtcdStore(options)`. */
export function etcdStore(options: EtcdStoreOptions): EtcdStore {
  return new EtcdStore(options);
}
