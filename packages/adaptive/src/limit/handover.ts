import type { Runtime, Timer } from "@dt/core";
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
  readonly #grant: (cost: number, partition: Partition, nowMs: number, held: boolean) => Slot;
  #servedThisTurn = 0;
  #later: Timer | undefined;

  constructor(
    runtime: Runtime,
    admission: Admission,
    waiters: Waiters,
    grant: (cost: number, partition: Partition, nowMs: number, held: boolean) => Slot,
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
      const { cost, priority, partition, held } = next.want;
      const nowMs = this.#runtime.now();
      if (!this.#admission.fits(cost, priority, partition, nowMs)) {
        this.#lookAgain(nowMs);
        return;
      }
      next.answer(this.#grant(cost, partition, nowMs, held));
      if (this.#servedThisTurn++ === 0) this.#countTurn();
    }
  }

  /** Sets no timer any more. */
  stop(): void {
    this.#later?.cancel();
  }

  /**
   * What is kept free for a partition is given back by time, not by the end of a call: somebody has to look. Those who
   * wait keep the process running by themselves.
   */
  #lookAgain(nowMs: number): void {
    const waitMs = this.#admission.keptUntilMs(nowMs) - nowMs;
    if (this.#later !== undefined || waitMs === Number.POSITIVE_INFINITY) return;
    const look = (): void => {
      this.#later = undefined;
      this.serve();
    };
    this.#later = this.#runtime.setTimer(look, waitMs, { keepAlive: false });
  }

  /**
   * Those who are served may settle at once, and so serve the next, without the event loop ever turning: timers and
   * sockets would starve.
   */
  #countTurn(): void {
    const nextTurn = (): void => {
      this.#servedThisTurn = 0;
      this.serve();
    };
    this.#runtime.setTimer(nextTurn, 0);
  }
}
