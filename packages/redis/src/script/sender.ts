import type { Attempt } from "../attempt.ts";
import type { Connection } from "../client/connection.ts";
import { isNoScript } from "../errors/server-error.ts";
import type { Keys } from "../keys.ts";
import type { Script } from "./script.ts";
import { Teaching } from "./teaching.ts";

/** Runs scripts on a server, by their names where it knows them. */
export class Sender {
  readonly #connection: Connection;
  readonly #teaching = new Teaching();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** @param master see {@link Connection.send} */
  async send(
    script: Script,
    { keys, channel }: Pick<Keys, "keys" | "channel">,
    args: readonly string[],
    deadline: AbortSignal,
    attempt: Attempt,
    master?: string,
  ): Promise<unknown> {
    const parameters = [String(keys.length), ...keys, channel, ...args];
    const onSent = (): void => {
      attempt.sent = true;
    };
    const send = (command: string, code: string): Promise<unknown> =>
      this.#connection.send([command, code, ...parameters], deadline, onSent, master);
    try {
      return await send("EVALSHA", script.sha);
    } catch (error) {
      if (!isNoScript(error)) throw error;
      // Nothing ran: the server was restarted, or its scripts were flushed.
      return await this.#teaching.run(script, send);
    }
  }
}
