/** Every request that reached the server, in order, as columns. */
export interface Arrivals {
  /** When the server saw it, on the machine's monotonic clock. */
  readonly atMs: Float64Array;
  /** When its token was granted in the worker. */
  readonly grantedMs: Float64Array;
  /** Which worker sent it. */
  readonly worker: Uint16Array;
  /** 1: served; 0: refused with 429. */
  readonly served: Uint8Array;
}

/** Collects arrivals without a garbage collector's pause for each: columns that double when they are full. */
export class ArrivalLog {
  #atMs = new Float64Array(1_024);
  #grantedMs = new Float64Array(1_024);
  #worker = new Uint16Array(1_024);
  #served = new Uint8Array(1_024);
  #length = 0;
  #servedCount = 0;

  get servedCount(): number {
    return this.#servedCount;
  }

  get rejectedCount(): number {
    return this.#length - this.#servedCount;
  }

  add(atMs: number, grantedMs: number, worker: number, served: boolean): void {
    if (this.#length === this.#atMs.length) this.#grow();
    this.#atMs[this.#length] = atMs;
    this.#grantedMs[this.#length] = grantedMs;
    this.#worker[this.#length] = worker;
    this.#served[this.#length] = served ? 1 : 0;
    this.#length += 1;
    if (served) this.#servedCount += 1;
  }

  columns(): Arrivals {
    return {
      atMs: this.#atMs.slice(0, this.#length),
      grantedMs: this.#grantedMs.slice(0, this.#length),
      worker: this.#worker.slice(0, this.#length),
      served: this.#served.slice(0, this.#length),
    };
  }

  #grow(): void {
    const size = 2 * this.#length;
    const grown = {
      atMs: new Float64Array(size),
      grantedMs: new Float64Array(size),
      worker: new Uint16Array(size),
      served: new Uint8Array(size),
    };
    grown.atMs.set(this.#atMs);
    grown.grantedMs.set(this.#grantedMs);
    grown.worker.set(this.#worker);
    grown.served.set(this.#served);
    this.#atMs = grown.atMs;
    this.#grantedMs = grown.grantedMs;
    this.#worker = grown.worker;
    this.#served = grown.served;
  }
}
