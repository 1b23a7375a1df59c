import type { Settlement, SpendRequest, StatedRest } from "@dt/core";

/** Most settlements that wait while the store is away. */
const MOST_PENDING = 10_000;
/** Most settlements of one request. */
const MOST_SETTLED = 250;

/** What travels with one request. */
type Travels = Pick<SpendRequest, "settle" | "stated" | "pauseMs">;

/** What waits to travel with the next request to the store. */
export class Pending {
  #settlements: Settlement[] = [];
  readonly #stated = new Map<number, StatedRest>();
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  get empty(): boolean {
    return (
      this.#settlements.length === 0 && this.#stated.size === 0 && this.#pausedUntilMs === Number.NEGATIVE_INFINITY
    );
  }

  /** Returns how many of the oldest were given up for it. */
  settle(settlement: Settlement): number {
    this.#settlements.push(settlement);
    return this.#shorten();
  }

  /** Of what is stated of one limit the lowest counts. */
  state(stated: StatedRest): void {
    const known = this.#stated.get(stated.limit);
    if (!known || stated.rest < known.rest) this.#stated.set(stated.limit, stated);
  }

  pause(untilMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
  }

  /** What travels now, and the function that puts it back where the request fails. */
  take(nowMs: number): { readonly travels: Travels; readonly back: () => void } {
    const settle = this.#settlements.splice(0, MOST_SETTLED);
    const stated = [...this.#stated.values()];
    const untilMs = this.#pausedUntilMs;
    this.#stated.clear();
    this.#pausedUntilMs = Number.NEGATIVE_INFINITY;
    const back = (): void => {
      this.#settlements = [...settle, ...this.#settlements];
      this.#shorten();
      for (const one of stated) this.state(one);
      this.pause(untilMs);
    };
    return {
      travels: {
        ...(settle.length > 0 && { settle }),
        ...(stated.length > 0 && { stated }),
        ...(untilMs > nowMs && { pauseMs: untilMs - nowMs }),
      },
      back,
    };
  }

  #shorten(): number {
    return this.#settlements.splice(0, Math.max(0, this.#settlements.length - MOST_PENDING)).length;
  }
}
