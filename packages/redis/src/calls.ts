import { withDeadline } from "@dt/core/ledger";
import { type Attempt, attemptError, CLOSED, closedError } from "./attempt.ts";
import type { RedisLink } from "./client/open-link.ts";
import { Pending } from "./pending.ts";

/** The calls to a server: each settles by its deadline, or when all of them are closed. */
export class Calls {
  readonly #link: RedisLink;
  readonly #pending = new Pending();
  #closed = false;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  /**
   * @param name what is being done, for messages: `"sync"`
   * @throws DtError, see {@link attemptError}
   */
  async run<T>(
    name: string,
    operation: (deadline: AbortSignal, attempt: Attempt) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { connection, runtime, timeoutMs } = this.#link;
    const attempt: Attempt = { what: `redis ${name}`, sent: false };
    if (this.#closed) throw closedError(attempt.what);
    try {
      return await withDeadline((deadline) => this.#pending.guard(operation(deadline, attempt)), {
        runtime,
        timeoutMs,
        what: attempt.what,
        signal,
      });
    } catch (error) {
      throw attemptError(error, attempt, connection.lastError);
    }
  }

  /** Fails what is under way, and ends what was opened here. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#pending.fail(CLOSED);
    this.#link.connection.close();
  }
}
