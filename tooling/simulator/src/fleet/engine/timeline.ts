import { EventQueue, type WorldEvent } from "./event-queue.ts";

/** World time. Moves from event to event; between two events every promise that can settle does. */
export class Timeline {
  readonly #queue = new EventQueue();
  #nowMs = 0;

  get nowMs(): number {
    return this.#nowMs;
  }

  at(atMs: number, run: () => void): WorldEvent {
    return this.#queue.add(Math.max(atMs, this.#nowMs), run);
  }

  after(delayMs: number, run: () => void): WorldEvent {
    return this.at(this.#nowMs + delayMs, run);
  }

  /** Runs everything due until `untilMs`, or until `halt` says so. */
  async run(untilMs: number, halt: () => boolean = () => false): Promise<void> {
    await settled();
    for (let event = this.#queue.next(untilMs); event && !halt(); event = this.#queue.next(untilMs)) {
      this.#nowMs = event.atMs;
      event.run();
      await settled();
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }
}

/**
 * Resolves once every promise that is ready has settled, however long the chains. Node runs a `nextTick` that was asked
 * for by a promise callback only when no promise callback is left; unlike `setImmediate` it does so without a turn of
 * the event loop.
 */
export function settled(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
}
