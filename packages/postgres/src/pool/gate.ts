import { DtError, type Runtime } from "@dt/core";
import { isTooManyClients, leavesConnectionUsable } from "../errors.ts";
import { acquire, giveBack } from "./acquire.ts";
import type { PostgresClient, PostgresPool, PostgresStatement } from "./postgres-pool.ts";
import { Queue } from "./queue.ts";

/**
 * Calls whose caller has given up while they wait for a connection: with more, no other call joins them, so that a pool
 * that is stuck does not gather them for ever.
 */
const MOST_GIVEN_UP = 100;

/** How long to wait before a server that has too many clients is asked again, with as much again by chance. */
const FULL_PAUSE_MS = 50;

const asText = { getTypeParser: () => (value: string) => value };

/** The statement by which a text is sent. Without values `pg` uses the simple query protocol. */
export function statement(text: string): PostgresStatement {
  return { text, rowMode: "array", types: asText };
}

/** How one statement is run. */
export interface RunOptions {
  /** Called just before the statement is sent. */
  readonly onSent?: () => void;
  /** For a statement with a deadline of its own: how long it may take, in milliseconds. Default: that of every call. */
  readonly timeoutMs?: number;
}

/**
 * The way to the server: one statement on one connection of the pool, by itself.
 *
 * By the simple query protocol a statement is one message: the server has all of it, and commits or rolls back by
 * itself, or it has nothing. By the extended one (parse, bind, execute, sync) a host that dies in the middle would
 * leave the server waiting for the rest, with the group locked. No prepared statements, and no state in the session:
 * any pooler will do.
 */
export class Gate {
  readonly #pool: PostgresPool;
  readonly #runtime: Runtime;
  readonly #timeoutMs: number;
  readonly #queue: Queue;
  readonly #inUse = new Set<() => void>();
  #givenUp = 0;
  #closed = false;

  /** @param atOnce the most statements at once: the size of the pool, where that is known */
  constructor(pool: PostgresPool, runtime: Runtime, timeoutMs: number, atOnce: number) {
    this.#queue = new Queue(atOnce);
    this.#pool = pool;
    this.#runtime = runtime;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Runs a statement and gives its rows. When the signal aborts the caller has given up: a statement that was sent is
   * left alone for the length of the deadline, and then its connection is ended, since it is not known what is wrong
   * with it.
   * @param text asked for when the connection is there, so that it can say how much time is left
   * @throws what the driver throws, or the signal's reason
   */
  async run(text: string | (() => string), signal: AbortSignal, options: RunOptions = {}): Promise<unknown> {
    await this.#queue.enter(signal);
    try {
      const client = await this.#connect(signal);
      // Since the pool gave the connection. The caller was told that nothing was sent.
      if (signal.aborted || this.#closed) {
        giveBack(client);
        signal.throwIfAborted();
        throw new DtError("DT_STORE_CLOSED", "the store is closed; create a new one");
      }
      return await this.#query(client, typeof text === "string" ? text : text(), options);
    } finally {
      this.#queue.leave();
    }
  }

  /** Ends the connections that are in use; those who wait for one get none. */
  close(): void {
    this.#closed = true;
    for (const end of this.#inUse) end();
  }

  async #connect(signal: AbortSignal): Promise<PostgresClient> {
    if (this.#givenUp >= MOST_GIVEN_UP) {
      const problem = `${MOST_GIVEN_UP} calls that were given up still wait for a connection of the pool`;
      throw new DtError("DT_STORE_TIMEOUT", `${problem}; raise its max, or see whether the server is there`);
    }
    const onGivenUp = () => {
      this.#givenUp += 1;
      return () => {
        this.#givenUp -= 1;
      };
    };
    for (;;)
      try {
        return await acquire(this.#pool, signal, onGivenUp);
      } catch (error) {
        // A large fleet starts at once: some of its connections go when they are idle.
        if (!isTooManyClients(error) || this.#closed) throw error;
        await pause(FULL_PAUSE_MS * (1 + this.#runtime.random()), this.#runtime, signal);
      }
  }

  async #query(client: PostgresClient, text: string, { onSent, timeoutMs }: RunOptions): Promise<unknown> {
    let released = false;
    const release = (destroy: boolean): void => {
      if (released) return;
      released = true;
      this.#inUse.delete(end);
      giveBack(client, destroy);
    };
    const end = (): void => release(true);
    this.#inUse.add(end);
    const reaper = this.#runtime.setTimer(end, timeoutMs ?? this.#timeoutMs);
    try {
      onSent?.();
      // A pool handed in may have a `query_timeout` for all statements.
      const own = timeoutMs === undefined ? {} : { query_timeout: timeoutMs };
      const result = await client.query({ ...statement(text), ...own });
      release(false);
      return (result as { rows?: unknown } | undefined)?.rows;
    } catch (error) {
      release(!leavesConnectionUsable(error));
      throw error;
    } finally {
      reaper.cancel();
    }
  }
}

/** Resolves after a time; rejects with the signal's reason when that aborts before. */
function pause(ms: number, runtime: Runtime, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = runtime.setTimer(() => {
      signal.removeEventListener("abort", giveUp);
      resolve();
    }, ms);
    const giveUp = (): void => {
      timer.cancel();
      reject(signal.reason);
    };
    signal.addEventListener("abort", giveUp, { once: true });
  });
}
