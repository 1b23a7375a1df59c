import type { PermitRelease, PermitRequest, Reservation } from "@dt/core";
import { instantOf, MemoryPermitTable, releasePermits, reservePermits } from "@dt/core/ledger";
import type { Timeline } from "../engine/timeline.ts";
import type { PermitBug, PermitOperations } from "./permit-bugs.ts";

/** The key's clock begins here, far from every process's. */
export const STORE_START_MS = 1_700_000_000_000;

/** A reservation as the server made it, and whose it was. */
export interface Made {
  readonly id: string;
  readonly process: number;
  readonly request: PermitRequest;
  readonly reservation: Reservation;
  readonly instants: readonly number[];
  /** How many of its instants, from the first, the server still holds reserved. */
  kept: number;
}

/** The real arithmetic over one key, on the store's clock; remembers what it granted. */
export class LedgerServer {
  readonly made = new Map<string, Made>();
  readonly #operations: PermitOperations;
  readonly #maxReserved: number;
  readonly #timeline: Timeline;
  readonly #table = new MemoryPermitTable();
  /** Called when an instant was given back. */
  onFreed: () => void = () => undefined;
  /**
   * How far, in permits of the usual cost, a reservation went beyond what `maxReserved` allows; positive is too far.
   */
  beyondBound = Number.NEGATIVE_INFINITY;

  constructor(timeline: Timeline, maxReserved: number, bug?: PermitBug) {
    this.#maxReserved = maxReserved;
    this.#timeline = timeline;
    const real = { reservePermits, releasePermits };
    this.#operations = bug?.ledger?.(real) ?? real;
  }

  get nowMs(): number {
    return STORE_START_MS + this.#timeline.nowMs;
  }

  reserve(process: number, request: PermitRequest): Reservation {
    const reservation = this.#operations.reservePermits(this.#table, request, this.nowMs);
    const { granted } = reservation;
    if (granted > 0 && !this.made.has(request.id)) {
      const instants = Array.from({ length: granted }, (_, i) => instantOf(reservation, i));
      this.made.set(request.id, { id: request.id, process, request, reservation, instants, kept: granted });
      const { cost, burst, everyMs } = request;
      const ahead = (Math.max(...instants) - this.nowMs) / everyMs;
      this.beyondBound = Math.max(this.beyondBound, ahead - this.#maxReserved - Math.min(Math.max(cost, 1), burst));
    }
    return reservation;
  }

  release(release: PermitRelease): void {
    const made = this.made.get(release.id);
    if (made) made.kept = Math.min(made.kept, release.keep);
    if (this.#operations.releasePermits(this.#table, release, this.nowMs)) this.onFreed();
  }

  /** Instants still to come that are reserved. */
  ahead(): number {
    let ahead = 0;
    for (const { instants, kept } of this.made.values())
      for (let i = 0; i < kept; i++) if ((instants[i] as number) > this.nowMs) ahead += 1;
    return ahead;
  }

  /** How many wait in the queue. */
  inQueue(): number {
    return this.#table.aheadInQueue("nobody", this.nowMs);
  }
}
