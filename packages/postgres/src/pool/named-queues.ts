import { Queue } from "./queue.ts";

/**
 * One that the server runs, and one that is there when it is done: statements of one group, key or budget take turns in
 * the server anyway.
 */
const AT_ONCE = 2;

/**
 * A queue for each group, key and budget, so that a process with many throttles does not queue in the server with all
 * of its connections: a fleet that starts at once would wait for its row until the deadlines are over.
 */
export class NamedQueues {
  readonly #queues = new Map<string, { readonly queue: Queue; users: number }>();

  /**
   * Runs an operation when it is first in its queue. @throws what it throws, or the signal's reason when that aborts
   * before
   */
  async run<T>(name: string, signal: AbortSignal, operation: () => Promise<T>): Promise<T> {
    const entry = this.#queues.get(name) ?? { queue: new Queue(AT_ONCE), users: 0 };
    this.#queues.set(name, entry);
    entry.users += 1;
    try {
      await entry.queue.enter(signal);
      try {
        return await operation();
      } finally {
        entry.queue.leave();
      }
    } finally {
      entry.users -= 1;
      if (entry.users === 0) this.#queues.delete(name);
    }
  }
}
