import type { Runtime } from "@dt/core";
import type { Admission } from "./admission.ts";
import type { Partition } from "./partitions.ts";
import type { Slot } from "./slot.ts";
import type { Waiters } from "./waiters.ts";

/** So many are served in one turn of the event loop; the next are, when timers and sockets had theirs. */
const MOST_PER_TURN = 1_000;

/** Hands free slots to those who wait: at once, so that no newcomer comes in between. */
export class Handover {
  readonly #runtime: Runtime;
  readonly #admission: Admission;
  readonly #waiters: Waiters;
  readonly #grant: (cost: number, partition: Partition, nowMs: number) => Slot;
  #servedThisTurn = 0;

  constructor(
    runtime: Runtime,
    admission: Admission,
    waiters: Waiters,
    grant: (cost: number, partition: Partition, nowMs: number) => Slot,
  ) {
    this.#runtime = runtime;
    this.#admission = admission;
    this.#waiters = waiters;
    this.#grant = grant;
  }

  /** Serves as many as the limit has room for. */
  serve(): void {
    for (let next = this.#waiters.first(); next; next = this.#waiters.first()) {
      if (this.#servedThisTurn >= MOST_PER_TURN) return;
      const { cost, priority, partition } = next.want;
      const nowMs = this.#runtime.now();
      if (!this.#admission.fits(cost, priority, partition, nowMs)) return;
      next.answer(this.#grant(cost, partition, nowMs));
      if (this.#servedThisTurn++ === 0) this.#countTurn();
    }
  }

  /** Those who are served may settle at once, and so serve the next, without the event loop ever turning: timers and sockets would starve. */
  #countTurn(): void {
    const nextTurn = (): void => {
      this.#servedThisTurn = 0;
      this.serve();
    };
    this.#runtime.setTimer(nextTurn, 0);
  }
}
