import type { Runtime } from "@dt/core";

/**
 * A group's time as one client knows it, for stores without a clock of their own: a hybrid logical clock. It runs at
 * the rate of the client's monotonic clock. Whenever the client reads a group time that is ahead of it, it jumps there.
 *
 * A client acts after it has read another's write. Its act is therefore at a later group time than that write, whatever
 * the clocks of their machines show. The safety of the ledger needs no more. The clients' ideas of one instant lie
 * apart by the age of the times that they read. An adapter that bounds that age keeps all clients within that bound of
 * the foremost.
 *
 * Tokens that start in the epoch in which they became free (R20) need no more either: numbers of epochs are compared,
 * and not times. A member names the newest epoch that it has begun by its own idea of the time. It uses fewer tokens in
 * every later one. The member that is given them uses them from that epoch on, by its own idea. The ledger never takes
 * that epoch for an earlier one, since the time that the same report has observed is the group's from then on.
 *
 * Where no member names an epoch, the writer's time must not be behind the epochs that were begun. That is so above all
 * when a silent member is removed, and the adapters see to it. All other use was reported, with a time that was
 * observed.
 *
 * The first reading decides the offset from the monotonic clock, ahead or behind. From then on the offset only grows.
 */
export class HybridClock {
  readonly #runtime: Runtime;
  #offsetMs: number | undefined;
  #floorMs = 0;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** False before the first {@link observe}: then the group's time is that of this client's own clock. */
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

  /** Takes in a group time that was recorded. From now on this clock is not behind it. */
  observe(recordedMs: number): void {
    const offsetMs = recordedMs - this.#runtime.now();
    if (this.#offsetMs === undefined) this.#floorMs = recordedMs;
    if (this.#offsetMs === undefined || offsetMs > this.#offsetMs) this.#offsetMs = offsetMs;
    this.#floorMs = Math.max(this.#floorMs, recordedMs);
  }
}
