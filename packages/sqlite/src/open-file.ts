import { isDtError, type Runtime } from "@dt/core";
import type { Call } from "@dt/core/store";
import { CallQueue } from "./call-queue.ts";
import { BUSY, Connection } from "./connection.ts";

/** What a ledger answers of a group's or a key's own accord. */
const REFUSALS: ReadonlySet<string> = new Set(["DT_INTERVAL_MISMATCH", "DT_PACE_MISMATCH", "DT_STORE_DATA"]);

/** The file of a store: opened at the first call, and anew after it failed. */
export class OpenFile {
  readonly #path: string;
  readonly #migrate: boolean;
  readonly #queue: CallQueue;
  #connection: Connection | undefined;

  constructor(path: string, migrate: boolean, runtime: Runtime) {
    this.#path = path;
    this.#migrate = migrate;
    this.#queue = new CallQueue(runtime);
  }

  /** Runs `operation` when the call is first in the queue, and again for as long as another process has the lock. */
  run<T>(call: Call, operation: (connection: Connection) => T | typeof BUSY): Promise<T> {
    return this.#queue.run(call, () => {
      this.#connection ??= this.#open();
      return this.#connection ? this.#attempt(this.#connection, operation) : BUSY;
    });
  }

  /** Runs `operation` now; undefined where that cannot be: the file is not open, or another process has the lock. */
  tryNow<T>(operation: (connection: Connection) => T | typeof BUSY): T | undefined {
    const result = this.#connection && this.#attempt(this.#connection, operation);
    return result === BUSY ? undefined : result;
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  #attempt<T>(connection: Connection, operation: (connection: Connection) => T | typeof BUSY): T | typeof BUSY {
    try {
      return operation(connection);
    } catch (error) {
      // After a refusal of the ledger the file is as good as before; after anything else the next call opens it anew.
      if (!isDtError(error) || !REFUSALS.has(error.code)) this.close();
      throw error;
    }
  }

  #open(): Connection | undefined {
    const connection = Connection.open(this.#path, this.#migrate);
    return connection === BUSY ? undefined : connection;
  }
}
