import type { Runtime, Timer } from "../runtime/runtime.ts";

interface Scheduled {
  readonly dueMs: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * A runtime whose time stands still until it is advanced, and whose randomness comes from a seed. The same code that
 * runs in production runs in it unchanged, and twice the same way.
 */
export class VirtualRuntime implements Runtime {
  #nowMs: number;
  #state: number;
  #order = 0;
  #queue: Scheduled[] = [];
  #suspendedMs = 0;

  constructor(options: { readonly seed?: number; readonly startMs?: number } = {}) {
    this.#nowMs = options.startMs ?? 0;
    this.#state = (options.seed ?? 1) >>> 0;
  }

  now(): number {
    return this.#nowMs;
  }

  /** mulberry32: small, seeded, good enough for schedules. */
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  setTimer(callback: () => void, delayMs: number): Timer {
    const scheduled = { dueMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, callback };
    insert(this.#queue, scheduled);
    return {
      cancel: () => {
        const index = this.#queue.indexOf(scheduled);
        if (index >= 0) this.#queue.splice(index, 1);
      },
    };
  }

  /** Timers set and not yet fired or cancelled. */
  get pendingTimers(): number {
    return this.#queue.length;
  }

  /** When the next timer is due; `Infinity` without timers. */
  get nextTimerMs(): number {
    return this.#queue[0]?.dueMs ?? Number.POSITIVE_INFINITY;
  }

  /** Moves time on by `ms`, firing timers in order; between two timers every promise that can settle does. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settle();
    for (let next = this.#queue[0]; next && next.dueMs <= untilMs; next = this.#queue[0]) {
      this.#queue.shift();
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.callback();
      await settle();
    }
    this.#nowMs = untilMs;
  }

  /** Includes the time for which it was suspended. */
  bootTimeMs(): number {
    return this.#nowMs + this.#suspendedMs;
  }

  /**
   * Stands still for `ms` as a suspended machine does: timers are not due sooner, and only {@link bootTimeMs} tells.
   */
  suspend(ms: number): void {
    this.#suspendedMs += ms;
  }

  /** Moves time on at once, as a suspended process sees it: timers that became due fire late, at the next `advance`. */
  jump(ms: number): void {
    this.#nowMs += ms;
  }
}

/**
 * Lets every promise that is ready settle, however long the chain: the host's task queue turns only after all of them.
 */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function insert(queue: Scheduled[], scheduled: Scheduled): void {
  let low = 0;
  let high = queue.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = queue[middle] as Scheduled;
    if (other.dueMs < scheduled.dueMs || (other.dueMs === scheduled.dueMs && other.order < scheduled.order))
      low = middle + 1;
    else high = middle;
  }
  queue.splice(low, 0, scheduled);
}
