import type { Call } from "@dt/core/store";
import type { Connection } from "../client/connection.ts";
import { isNoScript } from "../errors.ts";
import type { Keys } from "../keys.ts";
import type { Script } from "./scripts.ts";

/** A script to run. */
export interface ScriptRequest extends Pick<Keys, "keys" | "channel"> {
  readonly script: Script;
  /** ARGV from the second on; the first is the channel. */
  readonly args: readonly string[];
  /** See {@link Connection.send}. */
  readonly master?: string;
}

/** Runs scripts on a server, by their names where it knows them. */
export class Sender {
  readonly #connection: Connection;
  readonly #teaching = new Teaching();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async send({ script, keys, channel, args, master }: ScriptRequest, call: Call): Promise<unknown> {
    const parameters = [String(keys.length), ...keys, channel, ...args];
    const send = (command: string, code: string): Promise<unknown> =>
      this.#connection.send([command, code, ...parameters], call, master);
    try {
      return await send("EVALSHA", script.sha);
    } catch (error) {
      if (!isNoScript(error)) throw error;
      // Nothing ran: the server was restarted, or its scripts were flushed.
      return await this.#teaching.run(script, send);
    }
  }
}

type Send = (command: string, code: string) => Promise<unknown>;

/**
 * Runs scripts that the server does not have yet. The first caller sends the text, with its own call; the others wait
 * until the server has it: when 2,000 throttles start together, 2,000 texts of 20 kB would be 40 MB.
 */
class Teaching {
  readonly #underWay = new Map<string, Promise<unknown>>();

  async run(script: Script, send: Send): Promise<unknown> {
    const other = this.#underWay.get(script.sha);
    if (!other) {
      const own = send("EVAL", script.text);
      const done = own.catch(() => undefined).finally(() => this.#underWay.delete(script.sha));
      this.#underWay.set(script.sha, done);
      return own;
    }
    await other;
    try {
      return await send("EVALSHA", script.sha);
    } catch (error) {
      if (!isNoScript(error)) throw error;
      // Another node of a Cluster, or the first caller failed.
      return send("EVAL", script.text);
    }
  }
}
