import {
  type CoordinationStore,
  DtError,
  type Farewell,
  type GroupSnapshot,
  type MemberRef,
  type Outcome,
  type Registration,
  type Report,
  randomId,
  type StoreCapabilities,
  type View,
} from "@dt/core";
import { checkFarewell, checkName, checkRegistration, checkReport, withDeadline } from "@dt/core/ledger";
import { toDtError } from "./etcd-errors.ts";
import { GroupSession, type SessionContext } from "./group-session.ts";
import { HeadWatch } from "./head-watch.ts";
import { groupKeys } from "./keys.ts";
import { checkOptions, type EtcdStoreOptions } from "./options.ts";
import { Pending } from "./pending.ts";

/** What every etcd store can do. */
export const etcdCapabilities: StoreCapabilities = {
  name: "etcd",
  clock: "hybrid",
  ledger: true,
  losesData: false,
  push: true,
};

/** Groups that were only looked at, or left, are remembered up to this number. */
const MOST_IDLE_SESSIONS = 1_000;

/**
 * The ledger in etcd: compare-and-swap on a few small keys, leases for liveness, and a hybrid logical clock, since etcd has no clock to
 * ask. Every method follows {@link CoordinationStore}, where the rules are, and throws its errors; in addition `DT_STORE_UNSUITABLE` when
 * etcd refuses the user, and `DT_STORE_REPLY` when the keys hold something else than a ledger.
 */
export class EtcdStore implements CoordinationStore {
  readonly capabilities = etcdCapabilities;
  readonly #prefix: string;
  readonly #context: SessionContext;
  readonly #sessions = new Map<string, { readonly session: GroupSession; calls: number }>();
  readonly #watches = new Set<HeadWatch>();
  readonly #pending = new Pending();
  #closed = false;

  /**
   * Opens nothing yet: the first call does.
   * @throws DtError `DT_INVALID_OPTION`
   */
  constructor(options: EtcdStoreOptions) {
    const { driver, prefix, timeoutMs, runtime } = checkOptions(options);
    this.#prefix = prefix;
    this.#context = { driver, runtime, timeoutMs, client: randomId(runtime) };
  }

  async register(group: string, registration: Registration, signal?: AbortSignal): Promise<View> {
    checkRegistration(group, registration);
    return this.#inSession("register", group, signal, (session, over) => session.register(registration, over));
  }

  async sync(group: string, member: MemberRef, report: Report, signal?: AbortSignal): Promise<View> {
    checkReport(group, member, report);
    return this.#inSession("sync", group, signal, (session, over) => session.sync(member, report, over));
  }

  async deregister(group: string, member: MemberRef, farewell: Farewell, signal?: AbortSignal): Promise<void> {
    checkFarewell(group, member, farewell);
    return this.#inSession("deregister", group, signal, (session, over) => session.deregister(member, farewell, over));
  }

  async inspect(group: string, signal?: AbortSignal): Promise<GroupSnapshot> {
    checkName("group", group);
    return this.#inSession("inspect", group, signal, (session) => session.inspect(group));
  }

  /** Hints by a watch of etcd's, which is made again when it breaks. */
  async watch(group: string, onChange: () => void, signal?: AbortSignal): Promise<() => void> {
    checkName("group", group);
    const { head: key } = groupKeys(this.#prefix, group);
    const { driver, runtime } = this.#context;
    const watch = new HeadWatch(
      driver,
      key,
      runtime,
      ({ timeMs }) => this.#sessions.get(group)?.session.clock.observe(timeMs),
      onChange,
    );
    const stop = (): void => {
      watch.stop();
      this.#watches.delete(watch);
    };
    this.#watches.add(watch);
    try {
      await this.#run("watch", signal, () => watch.start());
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  /** Closes the client if the store made it, and fails pending calls. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#pending.fail(closed("a call", "unknown"));
    for (const watch of this.#watches) watch.stop();
    this.#watches.clear();
    this.#sessions.clear();
    this.#context.driver.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Runs a call in the group's session. Sessions stay, since group time must not go back for this client, but not without bound. */
  async #inSession<T>(
    what: string,
    group: string,
    signal: AbortSignal | undefined,
    call: (session: GroupSession, over: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.#run(what, signal, async (over) => {
      const entry = this.#sessions.get(group) ?? {
        session: new GroupSession(groupKeys(this.#prefix, group), this.#context),
        calls: 0,
      };
      this.#sessions.set(group, entry);
      entry.calls += 1;
      try {
        return await call(entry.session, over);
      } finally {
        entry.calls -= 1;
        this.#forgetIdle();
      }
    });
  }

  #forgetIdle(): void {
    if (this.#sessions.size <= MOST_IDLE_SESSIONS) return;
    for (const [group, { session, calls }] of this.#sessions)
      if (calls === 0 && session.isIdle) this.#sessions.delete(group);
  }

  async #run<T>(
    name: string,
    signal: AbortSignal | undefined,
    operation: (over: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const what = `etcd ${name}`;
    if (this.#closed) throw closed(what, "definite");
    const { runtime, timeoutMs } = this.#context;
    try {
      return await this.#pending.guard(withDeadline(operation, { runtime, timeoutMs, what, signal }));
    } catch (error) {
      throw toDtError(what, error);
    }
  }
}

/** A coordination store in etcd; the same as `new EtcdStore(options)`. */
export function etcdStore(options: EtcdStoreOptions): EtcdStore {
  return new EtcdStore(options);
}

function closed(what: string, outcome: Outcome): DtError {
  return new DtError("DT_STORE_CLOSED", `${what} failed: the store is closed; create a new one`, { outcome });
}
