import type { Runtime, Timer } from "@dt/core";

/** A request in a pool: it waits for a worker, is worked on, and may be given up. */
export interface Job {
  /** How long it takes at a worker, in milliseconds. */
  readonly takesMs: number;
  /**
   * It was done, after a wait for a worker of so many milliseconds.
   * @returns where more is to be done: until this resolves, or the request is given up, the worker is not free
   */
  done(waitedMs: number): Promise<void> | undefined;
}

interface Waiting {
  readonly job: Job;
  readonly sinceMs: number;
}

/**
 * Workers, each with one request at a time, and a queue before them, first in, first out. A worker waits, as one
 * does that waits for a database: so the pool is what
 * is scarce, not the processor.
 */
export class Workers {
  longestQueue = 0;
  readonly #count: number;
  readonly #queueLength: number;
  readonly #queue = new Set<Waiting>();
  /** Those at a worker, with what ends their work. */
  readonly #busy = new Map<Job, Timer>();

  readonly #runtime: Runtime;

  constructor(count: number, queueLength: number, runtime: Runtime) {
    this.#count = count;
    this.#queueLength = queueLength;
    this.#runtime = runtime;
  }

  /** Takes a request, unless all work and as many wait as may: false. Returns what gives it up. */
  enter(job: Job): false | (() => void) {
    if (this.#busy.size >= this.#count && this.#queue.size >= this.#queueLength) return false;
    const waiting = { job, sinceMs: this.#runtime.now() };
    this.#queue.add(waiting);
    this.#work();
    this.longestQueue = Math.max(this.longestQueue, this.#queue.size);
    return () => {
      this.#queue.delete(waiting);
      if (this.#leave(job)) this.#work();
    };
  }

  #leave(job: Job): boolean {
    this.#busy.get(job)?.cancel();
    return this.#busy.delete(job);
  }

  #work(): void {
    for (const waiting of this.#queue) {
      if (this.#busy.size >= this.#count) return;
      this.#queue.delete(waiting);
      this.#begin(waiting);
    }
  }

  #begin({ job, sinceMs }: Waiting): void {
    const waitedMs = this.#runtime.now() - sinceMs;
    const free = (): void => {
      if (this.#leave(job)) this.#work();
    };
    const end = (): void => {
      const more = job.done(waitedMs);
      if (more) void more.then(free);
      else free();
    };
    this.#busy.set(job, this.#runtime.setTimer(end, job.takesMs, { keepAlive: false }));
  }
}
