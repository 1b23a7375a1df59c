import {
  type CoordinationStore,
  type Farewell,
  type GroupSnapshot,
  type MemberRef,
  type Registration,
  type Report,
  randomId,
  type StoreCapabilities,
  type View,
} from "@dt/core";
import { StoreShell } from "@dt/core/cas";
import { checkFarewell, checkName, checkRegistration, checkReport } from "@dt/core/ledger";
import { toDtError } from "./etcd-errors.ts";
import { GroupSession, type SessionContext } from "./group-session.ts";
import { HeadWatch } from "./head-watch.ts";
import { groupKeys } from "./keys.ts";
import { checkOptions, type EtcdStoreOptions } from "./options.ts";

/** What every etcd store can do. */
export const etcdCapabilities: StoreCapabilities = {
  name: "etcd",
  clock: "hybrid",
  ledger: true,
  losesData: false,
  push: true,
};

/**
 * The ledger in etcd: compare-and-swap on a few small keys, leases for liveness, and a hybrid logical clock, since etcd has no clock to
 * ask. Every method follows {@link CoordinationStore}, where the rules are, and throws its errors; in addition `DT_STORE_UNSUITABLE` when
 * etcd refuses the user, and `DT_STORE_REPLY` when the keys hold something else than a ledger.
 */
export class EtcdStore implements CoordinationStore {
  readonly capabilities = etcdCapabilities;
  readonly #prefix: string;
  readonly #context: SessionContext;
  readonly #shell: StoreShell<GroupSession>;
  readonly #watches = new Set<HeadWatch>();

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
    const { driver, runtime } = this.#context;
    const onHead = ({ timeMs }: { readonly timeMs: number }): void => this.#shell.session(group)?.clock.observe(timeMs);
    const watch = new HeadWatch(driver, key, runtime, onHead, onChange);
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

  /** Closes the client if the store made it, and fails pending calls. Idempotent. */
  async close(): Promise<void> {
    if (!this.#shell.close()) return;
    for (const watch of this.#watches) watch.stop();
    this.#watches.clear();
    this.#context.driver.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** A coordination store in etcd; the same as `new EtcdStore(options)`. */
export function etcdStore(options: EtcdStoreOptions): EtcdStore {
  return new EtcdStore(options);
}
