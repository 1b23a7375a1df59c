/** Something that will happen, unless it is cancelled. */
export interface WorldEvent {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
  cancelled: boolean;
}

/** True time. Moves from event to event; between two events every promise that can settle does. */
export class Timeline {
  readonly #heap: WorldEvent[] = [];
  #nowMs = 0;
  #order = 0;

  get nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): WorldEvent {
    const event = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, run, cancelled: false };
    this.#push(event);
    return event;
  }

  async run(untilMs: number): Promise<void> {
    await settled();
    for (let event = this.#heap[0]; event && event.atMs <= untilMs; event = this.#heap[0]) {
      this.#pop();
      if (event.cancelled) continue;
      this.#nowMs = event.atMs;
      event.run();
      await settled();
    }
    this.#nowMs = untilMs;
  }

  #push(event: WorldEvent): void {
    const heap = this.#heap;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, heap[parent] as WorldEvent)) break;
      heap[index] = heap[parent] as WorldEvent;
      index = parent;
    }
    heap[index] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as WorldEvent;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as WorldEvent, heap[child] as WorldEvent)) child += 1;
      if (!isBefore(heap[child] as WorldEvent, last)) break;
      heap[index] = heap[child] as WorldEvent;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(a: WorldEvent, b: WorldEvent): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

/** Resolves once every promise that is ready has settled: a `nextTick` asked for by a promise callback runs when no other is left. */
function settled(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
}
