import type { Call } from "@dt/core/store";

/** Groups or keys that were only looked at, or left, are remembered up to this number. */
const MOST_IDLE = 1_000;

/** Beyond it so many are looked at with each call. One is new at most, so that idle ones never become many. */
const LOOKED_AT = 2;

/** One group or key as a client takes part in it. */
export interface Session {
  /** True when the client speaks for no member of the group, and nothing of the key is ahead. */
  readonly isIdle: boolean;
  /** Cancels what the session does by itself. */
  end?(): void;
}

interface Entry<S> {
  readonly session: S;
  calls: number;
}

/** The groups or the keys of a client. They stay, since their time must not go back for it, but not without bound. */
export class Sessions<S extends Session> {
  readonly #open: (name: string) => S;
  readonly #entries = new Map<string, Entry<S>>();
  /** Where the look at idle ones goes on. */
  #next: Iterator<[string, Entry<S>]> = this.#entries.entries();

  constructor(open: (name: string) => S) {
    this.#open = open;
  }

  /** The session of this name, if there is one. */
  get(name: string): S | undefined {
    return this.#entries.get(name)?.session;
  }

  /** Runs a call in the session of this name. It counts as sent: its first request may have an effect already. */
  async run<T>(name: string, call: Call, operation: (session: S) => Promise<T>): Promise<T> {
    call.sent = true;
    const entry = this.#entries.get(name) ?? { session: this.#open(name), calls: 0 };
    this.#entries.set(name, entry);
    entry.calls += 1;
    try {
      return await operation(entry.session);
    } finally {
      entry.calls -= 1;
      this.#forgetIdle();
    }
  }

  end(): void {
    for (const { session } of this.#entries.values()) session.end?.();
    this.#entries.clear();
  }

  #forgetIdle(): void {
    for (let i = 0; i < LOOKED_AT && this.#entries.size > MOST_IDLE; i++) {
      const { done, value } = this.#next.next();
      if (done) this.#next = this.#entries.entries();
      else if (value[1].calls === 0 && value[1].session.isIdle) this.#entries.delete(value[0]);
    }
  }
}
