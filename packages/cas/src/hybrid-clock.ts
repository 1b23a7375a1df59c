import type { Runtime } from "@dt/core";

/**
 * A group's time as one client knows it, for stores without a clock of their own: a hybrid logical clock. It runs at
 * the rate of the client's monotonic clock, and whenever the client reads a group time that is ahead of it, it jumps
 * there. So what a client does after it has read another's write is at a later group time than that write, whatever the
 * clocks of their machines say; the safety of the ledger needs no more. How far the clients' ideas of one instant lie
 * apart depends on how old the times are that they read: an adapter that lets the recorded time grow no older than some
 * bound keeps all of them within that bound of the foremost.
 *
 * Tokens that start in the epoch in which they became free (R20) need no more either: numbers of epochs are compared,
 * and not times. A member names the newest epoch that it has begun by its own idea of the time, and uses fewer tokens
 * in every later one; whoever is given them uses them from that epoch on by its own. The ledger never takes that epoch
 * for an earlier one, since the time that the same report has observed is the group's from then on. Only where nobody
 * names an epoch, above all when a silent member is removed, the writer's time must not be behind those that were
 * begun. For a removal the adapters see to that; everything else that was used was reported, with a time that was
 * observed.
 *
 * The offset from the monotonic clock is what the first reading says, be it ahead or behind, and only grows from then
 * on.
 */
export class HybridClock {
  readonly #runtime: Runtime;
  #offsetMs: number | undefined;
  #floorMs = 0;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** False before the first {@link observe}: then the group's time is whatever this client's own clock says. */
  get known(): boolean {
    return this.#offsetMs !== undefined;
  }

  /** The group's time, in milliseconds. Never goes back once it is known. */
  now(): number {
    // Whole microseconds: shorter as text, and far below the clock error that members allow for.
    const nowMs = Math.floor((this.#runtime.now() + (this.#offsetMs ?? 0)) * 1_000) / 1_000;
    this.#floorMs = Math.max(this.#floorMs, nowMs);
    return this.#offsetMs === undefined ? Math.max(0, nowMs) : this.#floorMs;
  }

  /** Takes in a group time that somebody recorded. From now on this clock is not behind it. */
  observe(recordedMs: number): void {
    const offsetMs = recordedMs - this.#runtime.now();
    if (this.#offsetMs === undefined) this.#floorMs = recordedMs;
    if (this.#offsetMs === undefined || offsetMs > this.#offsetMs) this.#offsetMs = offsetMs;
    this.#floorMs = Math.max(this.#floorMs, recordedMs);
  }
}
