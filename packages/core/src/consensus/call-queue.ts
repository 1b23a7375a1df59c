import type { CoordinationStore } from "../contract/coordination-store.ts";
import { Fifo } from "../internal/fifo.ts";

/**
 * The most memberships of one store object that call it at the same time. Were 2,000 to call at once, the process would
 * read the first answer only after all calls are written, and none would come in time. Enough for 2,500 calls a second
 * at 100 ms each.
 */
const AT_ONCE = 256;

/** The queue before a store. A call's deadline, and what it reports, begin when it leaves the queue. */
export class CallQueue {
  readonly #waiting = new Fifo<() => void>();
  #free = AT_ONCE;

  /**
   * Takes a place: nothing to wait for while one is free, otherwise a promise of the next. Every place ends with
   * {@link leave}.
   */
  enter(): Promise<void> | undefined {
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free -= 1;
    return undefined;
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}

const queues = new WeakMap<CoordinationStore, CallQueue>();

/** The queue of a store, shared by all memberships that use this object. */
export function queueBefore(store: CoordinationStore): CallQueue {
  let queue = queues.get(store);
  if (!queue) {
    queue = new CallQueue();
    queues.set(store, queue);
  }
  return queue;
}
