import type { Runtime, Timer } from "../runtime/runtime.ts";
import type { HeldInstant } from "./held-instants.ts";
import { PermitLane } from "./permit-lane.ts";

/** The lanes of one pacer, one for each cost, and one timer for the earliest instant in any of them. */
export class PermitLanes {
  readonly #runtime: Runtime;
  readonly #due: () => void;
  readonly #lanes = new Map<number, PermitLane>();
  #timer: Timer | undefined;

  /** @param due called when the earliest instant has come */
  constructor(runtime: Runtime, due: () => void) {
    this.#runtime = runtime;
    this.#due = due;
  }

  /** The lane for callers of this cost, if there is one. */
  of(cost: number): PermitLane | undefined {
    return this.#lanes.get(cost);
  }

  add(cost: number, instants: readonly HeldInstant[]): void {
    const lane = this.#lanes.get(cost) ?? new PermitLane();
    this.#lanes.set(cost, lane);
    lane.add(instants);
  }

  /** The lane whose next instant is the earliest. */
  get earliest(): PermitLane | undefined {
    let earliest: PermitLane | undefined;
    for (const lane of this.#lanes.values()) if (!earliest || lane.nextMs < earliest.nextMs) earliest = lane;
    return earliest;
  }

  [Symbol.iterator](): Iterator<PermitLane> {
    return this.#lanes.values();
  }

  /** Sets the timer anew, after instants came or went. It keeps the process alive only while somebody waits for one. */
  arm(): void {
    this.disarm();
    for (const [cost, lane] of this.#lanes) if (lane.empty) this.#lanes.delete(cost);
    const next = this.earliest;
    if (!next) return;
    const keepAlive = [...this].some((lane) => lane.waiting > 0);
    const delayMs = Math.max(0, next.nextMs - this.#runtime.now());
    this.#timer = this.#runtime.setTimer(this.#due, delayMs, { keepAlive });
  }

  disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
