import { isNoScript } from "../errors/server-error.ts";
import type { Script } from "./script.ts";

type Send = (command: string, code: string) => Promise<unknown>;

/**
 * Runs scripts that the server does not have yet. The first caller sends the text, with its own call; the others wait
 * until the server has it: when 2,000 throttles start together, 2,000 texts of 20 kB would be 40 MB.
 */
export class Teaching {
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
