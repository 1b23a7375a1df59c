import type { Cursor, Published, Stored } from "@dt/signal";

/** Producers of which a topic remembers what it has of them. */
const MOST_NAMES = 10_000;

/** Messages of one topic, in memory: the last ones only. */
export class Topic {
  readonly #keep: number;
  readonly #messages: Stored[] = [];
  readonly #lastOf = new Map<string, number>();
  readonly #sleeping = new Set<() => void>();
  /** The id of the first message that is kept. */
  #first = 0;

  /** @param keep how many messages are kept */
  constructor(keep: number) {
    this.#keep = keep;
  }

  /** The id that the next message gets. */
  get next(): number {
    return this.#first + this.#messages.length;
  }

  /** The last message that a producer of this name has sent. */
  lastOf(producerName: string): number {
    return this.#lastOf.get(producerName) ?? 0;
  }

  /** Keeps a message; returns its id. */
  keep({ producerName, sequenceId, payload, key }: Published): number {
    const messageId = this.next;
    this.#messages.push({ messageId, payload, key });
    // Taken out first, so that it is the youngest.
    this.#lastOf.delete(producerName);
    this.#lastOf.set(producerName, sequenceId);
    const [oldest] = this.#lastOf.keys();
    if (this.#lastOf.size > MOST_NAMES && oldest !== undefined) this.#lastOf.delete(oldest);
    // Half at a time: an array that loses its first element moves all the others.
    if (this.#messages.length >= 2 * this.#keep) this.#first += this.#messages.splice(0, this.#keep).length;
    const sleeping = [...this.#sleeping];
    this.#sleeping.clear();
    for (const wake of sleeping) wake();
    return messageId;
  }

  /**
   * Reads from a message on, or from the next one to come. Who is too slow for what is kept goes on with the oldest
   * that there is.
   */
  read(from: number | undefined, wake: () => void): Cursor {
    let at = from ?? this.next;
    return {
      next: () => {
        at = Math.max(at, this.#first);
        const stored = this.#messages[at - this.#first];
        if (stored) at += 1;
        else this.#sleeping.add(wake);
        return stored;
      },
      close: () => void this.#sleeping.delete(wake),
    };
  }
}
