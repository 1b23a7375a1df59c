import { withDeadline } from "@dt/core/ledger";
import { type Attempt, attemptError, CLOSED, closedError } from "./attempt.ts";
import { Pending } from "./pending.ts";
import type { PoolUse } from "./pool/own-pool.ts";

/** The calls to a server: each settles by its deadline, or when all of them are closed. */
export class Calls {
  readonly #use: PoolUse;
  readonly #pending = new Pending();
  #closed = false;

  constructor(use: PoolUse) {
    this.#use = use;
  }

  /**
   * @param name what is being done, for messages: `"sync"`
   * @param timeoutMs the deadline. Default: that of every call
   * @throws DtError, see {@link attemptError}
   */
  async run<T>(
    name: string,
    operation: (deadline: AbortSignal, attempt: Attempt) => Promise<T>,
    signal?: AbortSignal,
    timeoutMs: number = this.#use.timeoutMs,
  ): Promise<T> {
    const attempt: Attempt = { what: `postgres ${name}`, sent: false };
    if (this.#closed) throw closedError(attempt);
    const { runtime } = this.#use;
    const options = { runtime, timeoutMs, what: attempt.what, signal };
    try {
      return await withDeadline((deadline) => this.#pending.guard(operation(deadline, attempt)), options);
    } catch (error) {
      throw attemptError(error, attempt);
    }
  }

  /** Fails what is under way; false when that was done before. */
  close(): boolean {
    if (this.#closed) return false;
    this.#closed = true;
    this.#pending.fail(CLOSED);
    return true;
  }
}
