import { DtError, type Effect, type Runtime } from "@dt/core";
import { withDeadline } from "@dt/core/kit";
import { Pending } from "./pending.ts";

/** Groups that were only looked at, or left, are remembered up to this number. */
const MOST_IDLE_SESSIONS = 1_000;

/** One group as a client takes part in it. */
export interface Session {
  /** True when the client speaks for no member of the group. */
  readonly isIdle: boolean;
  /** Cancels what the session does by itself. */
  end?(): void;
}

/** What a {@link StoreShell} works with. */
export interface StoreShellOptions<S extends Session> {
  /** For messages: `"etcd"`. */
  readonly name: string;
  readonly runtime: Runtime;
  readonly timeoutMs: number;
  readonly open: (group: string) => S;
  /** Any failure of a call as the contract's. */
  readonly toDtError: (what: string, error: unknown) => DtError;
}

/**
 * What all calls of a store go through: deadline, cancellation, closing, errors (R16), and the sessions of its groups.
 */
export class StoreShell<S extends Session> {
  readonly #options: StoreShellOptions<S>;
  readonly #sessions = new Map<string, { readonly session: S; calls: number }>();
  readonly #pending = new Pending();
  #closed = false;

  constructor(options: StoreShellOptions<S>) {
    this.#options = options;
  }

  /** The group's session, if there is one. */
  session(group: string): S | undefined {
    return this.#sessions.get(group)?.session;
  }

  /**
   * Runs a call in the group's session. Sessions stay, since group time must not go back for this client, but not
   * without bound.
   */
  inSession<T>(
    what: string,
    group: string,
    signal: AbortSignal | undefined,
    call: (session: S, over: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.run(what, signal, async (over) => {
      const entry = this.#sessions.get(group) ?? { session: this.#options.open(group), calls: 0 };
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

  /** Runs an operation that gets a signal which aborts when the deadline passes or nobody waits for it any more. */
  async run<T>(
    name: string,
    signal: AbortSignal | undefined,
    operation: (over: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { runtime, timeoutMs } = this.#options;
    const what = `${this.#options.name} ${name}`;
    if (this.#closed) throw closed(what, "definite");
    try {
      return await this.#pending.guard(withDeadline(operation, { runtime, timeoutMs, what, signal }));
    } catch (error) {
      throw this.#options.toDtError(what, error);
    }
  }

  /** Fails every call under way and to come; true the first time. */
  close(): boolean {
    if (this.#closed) return false;
    this.#closed = true;
    this.#pending.fail(closed(`a call of the ${this.#options.name} store`, "unknown"));
    for (const { session } of this.#sessions.values()) session.end?.();
    this.#sessions.clear();
    return true;
  }

  #forgetIdle(): void {
    if (this.#sessions.size <= MOST_IDLE_SESSIONS) return;
    for (const [group, { session, calls }] of this.#sessions)
      if (calls === 0 && session.isIdle) this.#sessions.delete(group);
  }
}

function closed(what: string, effect: Effect): DtError {
  return new DtError("DT_STORE_CLOSED", `${what} failed: the store is closed; create a new one`, { effect });
}
