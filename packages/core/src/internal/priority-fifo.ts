import { Fifo } from "./fifo.ts";

/** Items of one priority. */
interface Rank<T extends object> {
  readonly priority: number;
  readonly items: Fifo<T>;
}

/**
 * Items by priority, the highest first. Within one priority the first that came is served first (`fifo`), or the last
 * (`lifo`). Leaving from the middle is O(1); the rest is O(priorities in use).
 */
export class PriorityFifo<T extends { readonly priority: number }> {
  readonly #order: "fifo" | "lifo";
  /** One for each priority that was ever used, the highest first. */
  readonly #ranks: Rank<T>[] = [];
  #size = 0;

  constructor(order: "fifo" | "lifo") {
    this.#order = order;
  }

  get size(): number {
    return this.#size;
  }

  /** The one that is served next. */
  get first(): T | undefined {
    const rank = this.#ranks.find(({ items }) => items.size > 0)?.items;
    return this.#order === "lifo" ? rank?.last : rank?.first;
  }

  /** The one that is served after all others. */
  get last(): T | undefined {
    const rank = this.#ranks.findLast(({ items }) => items.size > 0)?.items;
    return this.#order === "lifo" ? rank?.first : rank?.last;
  }

  /** How many have this priority or a higher one. */
  from(priority: number): number {
    let count = 0;
    for (const rank of this.#ranks) if (rank.priority >= priority) count += rank.items.size;
    return count;
  }

  /** Adds an item that has come just now; it must not be inside already. */
  push(item: T): void {
    this.#rankOf(item).push(item);
    this.#size += 1;
  }

  /** Puts an item before the others of its priority; it must not be inside already. */
  putBack(item: T): void {
    if (this.#order === "lifo") this.#rankOf(item).push(item);
    else this.#rankOf(item).unshift(item);
    this.#size += 1;
  }

  /** Takes an item out; false when it was not inside. */
  remove(item: T): boolean {
    const removed = this.#rankOf(item).remove(item);
    if (removed) this.#size -= 1;
    return removed;
  }

  /** From the highest priority to the lowest, each in the order of coming; nothing may come or leave meanwhile. */
  *[Symbol.iterator](): Generator<T> {
    for (const { items } of this.#ranks) yield* items;
  }

  /** Takes everything out. */
  drain(): T[] {
    this.#size = 0;
    return this.#ranks.flatMap(({ items }) => items.drain());
  }

  #rankOf({ priority }: T): Fifo<T> {
    let index = 0;
    for (; index < this.#ranks.length; index++) {
      const rank = this.#ranks[index] as Rank<T>;
      if (rank.priority === priority) return rank.items;
      if (rank.priority < priority) break;
    }
    const items = new Fifo<T>();
    this.#ranks.splice(index, 0, { priority, items });
    return items;
  }
}
