import { Fifo } from "@dt/core/internal";

/** What is served in turns. */
export interface Queued {
  readonly priority: number;
  /** Whose turn it is. */
  readonly key: string;
}

/** Callers of one priority: a queue for each key, and the keys in the order of their turns. */
type Level<T extends object> = Map<string, Fifo<T>>;

/**
 * Callers by priority, strictly; of one priority the keys take turns, and of one key the first that came is first. All
 * but the search for the next is O(1).
 */
export class FairOrder<T extends object> {
  readonly #of: (item: T) => Queued;
  readonly #levels = new Map<number, Level<T>>();

  /** @param of the priority and the key of an item */
  constructor(of: (item: T) => Queued) {
    this.#of = of;
  }

  push(item: T): void {
    this.#queueOf(item).push(item);
  }

  /** Puts an item before the others of its key, whose turn is next. */
  putBack(item: T): void {
    const { priority, key } = this.#of(item);
    this.#queueOf(item).unshift(item);
    const level = this.#levels.get(priority) as Level<T>;
    this.#levels.set(priority, new Map([[key, level.get(key) as Fifo<T>], ...level]));
  }

  /** Takes an item out for good: its key's turn does not change. True when it was inside. */
  remove(item: T): boolean {
    const { priority, key } = this.#of(item);
    const level = this.#levels.get(priority);
    const queue = level?.get(key);
    if (!level || !queue?.remove(item)) return false;
    if (queue.size === 0) level.delete(key);
    if (level.size === 0) this.#levels.delete(priority);
    return true;
  }

  /** Takes an item out to serve it: the other keys come before its key. */
  serve(item: T): void {
    if (!this.remove(item)) return;
    const { priority, key } = this.#of(item);
    const level = this.#levels.get(priority);
    const queue = level?.get(key);
    if (!level || !queue) return;
    level.delete(key);
    level.set(key, queue);
  }

  /**
   * From the highest priority on, of each priority the first of each key in the order of turns, and then the others:
   * for an owner that skips some. Nothing may be served meanwhile.
   */
  *[Symbol.iterator](): Generator<T> {
    for (const priority of [...this.#levels.keys()].sort((a, b) => b - a)) {
      const queues = this.#levels.get(priority) as Level<T>;
      for (const { first } of queues.values()) if (first) yield first;
      for (const queue of queues.values()) for (const item of queue) if (item !== queue.first) yield item;
    }
  }

  #queueOf(item: T): Fifo<T> {
    const { priority, key } = this.#of(item);
    const level = this.#levels.get(priority) ?? new Map<string, Fifo<T>>();
    this.#levels.set(priority, level);
    const queue = level.get(key) ?? new Fifo<T>();
    level.set(key, queue);
    return queue;
  }
}
