import type { Runtime } from "@dt/core";
import type { Driver, Lease } from "../driver.ts";

/** The shortest lease, in seconds. A key lasts for at least half of it after its last write. */
const SHORTEST_SECONDS = 120;

/**
 * etcd counts the time of a lease from a moment that is later than the one at which it was asked for; whole seconds
 * beyond that are for the write under way.
 */
const MARGIN_MS = 2_000;

interface HeldLease {
  readonly lease: Lease;
  readonly grantedMs: number;
}

/**
 * Leases that make keys disappear when they mean nothing any more. They are never renewed: what is written is bound to
 * one that lasts long enough, many keys to the same, and a new one is granted about once a minute while anything is
 * written. So each key disappears by itself, by etcd's own count of time.
 */
export class Leases {
  readonly #driver: Driver;
  readonly #runtime: Runtime;
  /** The newest lease of each length. */
  readonly #held = new Map<number, HeldLease>();

  constructor(driver: Driver, runtime: Runtime) {
    this.#driver = driver;
    this.#runtime = runtime;
  }

  /** A lease that lasts for at least so long from now on. No request, usually. */
  async lasting(ms: number): Promise<string> {
    const neededMs = Math.max(ms, (SHORTEST_SECONDS * 1_000) / 2) + MARGIN_MS;
    let seconds = SHORTEST_SECONDS;
    while (seconds * 1_000 < 2 * neededMs - 2 * MARGIN_MS) seconds *= 2;
    const held = this.#held.get(seconds);
    const nowMs = this.#runtime.now();
    if (held && nowMs - held.grantedMs + neededMs <= held.lease.ttlMs) return held.lease.id;
    const lease = await this.#driver.grantLease(seconds);
    this.#held.set(seconds, { lease, grantedMs: nowMs });
    return lease.id;
  }

  /** The lease is not there any more, whatever is known of it. */
  forget(id: string): void {
    for (const [seconds, { lease }] of this.#held) if (lease.id === id) this.#held.delete(seconds);
  }
}
