import { Calls } from "../calls.ts";
import { openLink, type RedisAddress, type RedisLink } from "../client/open-link.ts";

/** A command and its arguments. */
export type Command = readonly [command: string, ...args: string[]];

/** Sends commands of any kind; none is sent twice. */
export class RedisCommands {
  readonly #link: RedisLink;
  readonly #calls: Calls;

  /**
   * Opens nothing yet: the first call does.
   * @param others options that the caller has besides, for the message about one that nobody has
   * @throws DtError `DT_INVALID_OPTION`, `DT_UNSAFE_CLIENT`
   */
  constructor(address: RedisAddress, others: readonly string[] = []) {
    this.#link = openLink(address, others);
    this.#calls = new Calls(this.#link);
  }

  /**
   * Sends commands together, in their order, and resolves with their replies when it has all of them. They share one
   * deadline; when it rejects, some may have run.
   * @param what for messages: `"xadd"`
   * @throws DtError `DT_STORE_*`
   */
  run(what: string, commands: readonly Command[], signal?: AbortSignal): Promise<unknown[]> {
    const send = (deadline: AbortSignal, attempt: { sent: boolean }): Promise<unknown[]> =>
      Promise.all(
        commands.map((command) =>
          this.#link.connection.send(command, deadline, () => {
            attempt.sent = true;
          }),
        ),
      );
    return this.#calls.run(what, send, signal);
  }

  /**
   * Ends the connection that was opened here and fails what is under way. A client handed in stays as it is.
   * Idempotent.
   */
  close(): void {
    this.#calls.close();
  }
}
