import type { Runtime, Timer } from "@dt/core";
import type { Lease } from "./lease.ts";

/** Leases that are not settled, in the order in which they were granted, and one timer for the oldest. */
export class OpenLeases {
  readonly #runtime: Runtime;
  readonly #withinMs: number;
  readonly #overdue: (lease: Lease) => void;
  readonly #leases = new Set<Lease>();
  #timer: Timer | undefined;

  /** @param overdue called with a lease that was not settled in time; it is forgotten here */
  constructor(runtime: Runtime, withinMs: number, overdue: (lease: Lease) => void) {
    this.#runtime = runtime;
    this.#withinMs = withinMs;
    this.#overdue = overdue;
  }

  get size(): number {
    return this.#leases.size;
  }

  add(lease: Lease): void {
    this.#leases.add(lease);
    this.#arm();
  }

  remove(lease: Lease): void {
    this.#leases.delete(lease);
    if (this.#leases.size === 0) this.clear();
  }

  clear(): void {
    this.#leases.clear();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const [oldest] = this.#leases;
    if (this.#timer || !oldest) return;
    const restMs = oldest.grantedMs + this.#withinMs - this.#runtime.now();
    this.#timer = this.#runtime.setTimer(() => this.#look(), Math.max(0, restMs), { keepAlive: false });
  }

  #look(): void {
    this.#timer = undefined;
    for (const lease of this.#leases) {
      if (lease.grantedMs + this.#withinMs > this.#runtime.now()) break;
      this.#leases.delete(lease);
      this.#overdue(lease);
    }
    this.#arm();
  }
}
