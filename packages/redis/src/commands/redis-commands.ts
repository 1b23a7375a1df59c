import { Calls } from "@dt/core/store";
import type { Connection } from "../client/connection.ts";
import { openLink, type RedisAddress } from "../client/open-link.ts";
import { driverError, notSent } from "../errors.ts";

/** A command and its arguments. */
export type Command = readonly [command: string, ...args: string[]];

/** Sends commands of any kind; none is sent twice. */
export class RedisCommands {
  readonly #connection: Connection;
  readonly #calls: Calls;

  /**
   * Opens nothing yet: the first call does.
   * @param others other options of the caller, for the message about an unknown one
   * @throws DtError `DT_INVALID_OPTION`, `DT_UNSAFE_CLIENT`
   */
  constructor(address: RedisAddress, others: readonly string[] = []) {
    const { connection, ...times } = openLink(address, others);
    this.#connection = connection;
    this.#calls = new Calls({
      ...times,
      capabilities: { name: "redis" },
      toDtError: driverError,
      notSent: (call, cause) => notSent(call, cause, connection.lastError),
    });
  }

  /**
   * Sends commands together, in their order, and resolves with their replies when it has all of them. They share one
   * deadline; when it rejects, some may have run.
   * @param what for messages: `"xadd"`
   * @param signal ends the call early, with its reason
   * @param commands commands with their arguments, sent as one pipeline
   * @throws DtError `DT_STORE_*`
   */
  async run(what: string, commands: readonly Command[], signal?: AbortSignal): Promise<unknown[]> {
    return this.#calls.run(what, signal, (call) =>
      Promise.all(commands.map((command) => this.#connection.send(command, call))),
    );
  }

  /**
   * Ends the connection that was opened here and fails what is under way. A client handed in stays as it is.
   * Idempotent.
   */
  close(): void {
    if (this.#calls.close()) this.#connection.close();
  }
}
