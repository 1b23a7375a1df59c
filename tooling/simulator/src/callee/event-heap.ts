/**
 * What happens next: events in order of time, and of scheduling within one instant. A binary heap in typed arrays:
 * nothing is allocated for an event, which is why a million calls take about a second.
 */
export class EventHeap {
  #times = new Float64Array(256);
  #orders = new Float64Array(256);
  #kinds = new Uint8Array(256);
  #refs = new Int32Array(256);
  #versions = new Int32Array(256);
  #size = 0;
  #order = 0;

  /** The event that {@link pop} took out last. */
  kind = 0;
  ref = 0;
  version = 0;

  /** When the next event happens; Infinity when there is none. */
  get nextMs(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#times[0] as number);
  }

  add(atMs: number, kind: number, ref: number, version = 0): void {
    if (this.#size === this.#times.length) this.#grow();
    const order = this.#order++;
    let index = this.#size++;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      // Equal times keep the order in which they were added: the newest goes last.
      if ((this.#times[parent] as number) <= atMs) break;
      this.#move(parent, index);
      index = parent;
    }
    this.#put(index, atMs, order, kind, ref, version);
  }

  pop(): void {
    this.kind = this.#kinds[0] as number;
    this.ref = this.#refs[0] as number;
    this.version = this.#versions[0] as number;
    const last = --this.#size;
    const time = this.#times[last] as number;
    const order = this.#orders[last] as number;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= last) break;
      if (child + 1 < last && this.#before(child + 1, this.#times[child] as number, this.#orders[child] as number))
        child += 1;
      if (!this.#before(child, time, order)) break;
      this.#move(child, index);
      index = child;
    }
    this.#move(last, index);
  }

  #before(index: number, timeMs: number, order: number): boolean {
    const time = this.#times[index] as number;
    return time < timeMs || (time === timeMs && (this.#orders[index] as number) < order);
  }

  #move(from: number, to: number): void {
    this.#times[to] = this.#times[from] as number;
    this.#orders[to] = this.#orders[from] as number;
    this.#kinds[to] = this.#kinds[from] as number;
    this.#refs[to] = this.#refs[from] as number;
    this.#versions[to] = this.#versions[from] as number;
  }

  #put(index: number, timeMs: number, order: number, kind: number, ref: number, version: number): void {
    this.#times[index] = timeMs;
    this.#orders[index] = order;
    this.#kinds[index] = kind;
    this.#refs[index] = ref;
    this.#versions[index] = version;
  }

  #grow(): void {
    const size = 2 * this.#times.length;
    this.#times = grown(this.#times, new Float64Array(size));
    this.#orders = grown(this.#orders, new Float64Array(size));
    this.#kinds = grown(this.#kinds, new Uint8Array(size));
    this.#refs = grown(this.#refs, new Int32Array(size));
    this.#versions = grown(this.#versions, new Int32Array(size));
  }
}

function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
