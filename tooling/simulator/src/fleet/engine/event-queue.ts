/** Something that happens at an instant of world time. */
export interface WorldEvent {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
  cancelled: boolean;
}

/**
 * The world's only queue: events in order of time, and of scheduling within one instant. A binary heap; cancelled
 * events are skipped.
 */
export class EventQueue {
  readonly #heap: WorldEvent[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  add(atMs: number, run: () => void): WorldEvent {
    const event: WorldEvent = { atMs, order: this.#order++, run, cancelled: false };
    const heap = this.#heap;
    let index = heap.length;
    heap.push(event);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(event, heap[parent] as WorldEvent)) break;
      heap[index] = heap[parent] as WorldEvent;
      index = parent;
    }
    heap[index] = event;
    return event;
  }

  /** Takes out the next event, if it is due by `untilMs`. */
  next(untilMs: number): WorldEvent | undefined {
    for (let first = this.#heap[0]; first && first.atMs <= untilMs; first = this.#heap[0]) {
      this.#removeFirst();
      if (!first.cancelled) return first;
    }
    return undefined;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop() as WorldEvent;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1] as WorldEvent, heap[child] as WorldEvent)) child += 1;
      if (!before(heap[child] as WorldEvent, last)) break;
      heap[index] = heap[child] as WorldEvent;
      index = child;
    }
    heap[index] = last;
  }
}

function before(a: WorldEvent, b: WorldEvent): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
