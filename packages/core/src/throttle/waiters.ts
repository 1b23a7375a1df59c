/** A caller waiting for tokens. */
export interface Waiter {
  /** Most tokens it wants. */
  readonly n: number;
  /** Settles the caller with a number of tokens. */
  grant(tokens: number): void;
  /** Settles the caller with an error. */
  fail(error: unknown): void;
}

interface Node {
  readonly waiter: Waiter;
  previous: Node | undefined;
  next: Node | undefined;
}

/** Callers in the order they came. A linked list: leaving from the middle (an abort, a timeout) and from the front are both O(1). */
export class Waiters {
  #head: Node | undefined;
  #tail: Node | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): Waiter | undefined {
    return this.#head?.waiter;
  }

  /** Appends a waiter; the function returned takes it out again (idempotent). */
  add(waiter: Waiter): () => void {
    const node: Node = { waiter, previous: this.#tail, next: undefined };
    if (this.#tail) this.#tail.next = node;
    else this.#head = node;
    this.#tail = node;
    this.#size += 1;
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      if (node.previous) node.previous.next = node.next;
      else this.#head = node.next;
      if (node.next) node.next.previous = node.previous;
      else this.#tail = node.previous;
      this.#size -= 1;
    };
  }

  /** Every waiter now in the queue, in order. */
  all(): readonly Waiter[] {
    const waiters: Waiter[] = [];
    for (let node = this.#head; node; node = node.next) waiters.push(node.waiter);
    return waiters;
  }
}
