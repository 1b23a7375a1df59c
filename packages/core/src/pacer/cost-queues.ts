import type { Runtime, Timer } from "../runtime/runtime.ts";
import { type Caller, CostQueue } from "./cost-queue.ts";
import type { HeldInstant } from "./held-instants.ts";

/** The queues of one pacer, one for each cost, and one timer for the earliest instant in any of them. */
export class CostQueues {
  readonly #runtime: Runtime;
  readonly #due: () => void;
  readonly #queues = new Map<number, CostQueue>();
  #timer: Timer | undefined;

  /** @param due called when the earliest instant has come */
  constructor(runtime: Runtime, due: () => void) {
    this.#runtime = runtime;
    this.#due = due;
  }

  /** The queue for callers of this cost, if there is one. */
  of(cost: number): CostQueue | undefined {
    return this.#queues.get(cost);
  }

  add(cost: number, instants: readonly HeldInstant[]): void {
    const queue = this.#queues.get(cost) ?? new CostQueue(cost);
    this.#queues.set(cost, queue);
    queue.add(instants);
  }

  /** The queue whose next instant is the earliest. */
  get earliest(): CostQueue | undefined {
    let earliest: CostQueue | undefined;
    for (const queue of this.#queues.values()) if (!earliest || queue.nextMs < earliest.nextMs) earliest = queue;
    return earliest;
  }

  /** Takes all callers out, the last of each cost first: in this order they are put back where they came from. */
  drain(): Caller[] {
    return [...this].flatMap((queue) => queue.drain().reverse());
  }

  [Symbol.iterator](): Iterator<CostQueue> {
    return this.#queues.values();
  }

  /** Sets the timer anew, after instants came or went. It keeps the process alive only while somebody waits for one. */
  arm(): void {
    this.disarm();
    for (const [cost, queue] of this.#queues) if (queue.empty) this.#queues.delete(cost);
    const next = this.earliest;
    if (!next) return;
    const keepAlive = [...this].some((queue) => queue.waiting > 0);
    const delayMs = Math.max(0, next.nextMs - this.#runtime.now());
    this.#timer = this.#runtime.setTimer(this.#due, delayMs, { keepAlive });
  }

  disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
