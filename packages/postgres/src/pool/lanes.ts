import { Turns } from "./turns.ts";

/**
 * One that the server runs, and one that is there when it is done: statements of one group or key take turns in the
 * server anyway.
 */
const AT_ONCE = 2;

/**
 * A line for each group and key, so that a process with many throttles does not queue in the server with all of its
 * connections: a fleet that starts at once would wait for its row until the deadlines are over.
 */
export class Lanes {
  readonly #lanes = new Map<string, { readonly turns: Turns; users: number }>();

  /** Runs an operation in its turn. @throws what it throws, or the signal's reason when that aborts before */
  async run<T>(name: string, signal: AbortSignal, operation: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(name) ?? { turns: new Turns(AT_ONCE), users: 0 };
    this.#lanes.set(name, lane);
    lane.users += 1;
    try {
      await lane.turns.begin(signal);
      try {
        return await operation();
      } finally {
        lane.turns.end();
      }
    } finally {
      lane.users -= 1;
      if (lane.users === 0) this.#lanes.delete(name);
    }
  }
}
