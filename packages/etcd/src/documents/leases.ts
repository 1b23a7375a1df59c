import type { Runtime } from "@dt/core";
import type { Driver, Lease } from "../driver.ts";

/** The shortest lease, in seconds. */
const SHORTEST_SECONDS = 30;

/**
 * etcd counts the time of a lease from a moment that is later than the one at which it was asked for; whole seconds
 * beyond that are for the write under way.
 */
const MARGIN_MS = 2_000;

interface HeldLease {
  readonly lease: Promise<Lease>;
  readonly grantedMs: number;
}

/**
 * Leases that make keys disappear when they mean nothing any more. They are never renewed: what is written is bound to
 * one that lasts long enough, many keys to the same. While anything is written, a new one is granted when half of the
 * last one's time is over. So each key disappears by itself, by etcd's own count of time.
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
    const neededMs = ms + MARGIN_MS;
    let seconds = SHORTEST_SECONDS;
    while (seconds * 1_000 < 2 * neededMs - 2 * MARGIN_MS) seconds *= 2;
    const nowMs = this.#runtime.now();
    const held = this.#held.get(seconds);
    const lease = held && (await held.lease);
    if (held && lease && nowMs - held.grantedMs + neededMs <= lease.ttlMs) return lease.id;
    // Another call may have begun to ask for one meanwhile.
    const newest = this.#held.get(seconds);
    return (await (newest && newest !== held ? newest.lease : this.#grant(seconds, nowMs))).id;
  }

  /** The lease is not there any more, whatever is known of it. */
  async forget(id: string): Promise<void> {
    for (const [seconds, held] of this.#held) if ((await held.lease).id === id) this.#forget(seconds, held);
  }

  #grant(seconds: number, grantedMs: number): Promise<Lease> {
    const held = { lease: this.#driver.grantLease(seconds), grantedMs };
    this.#held.set(seconds, held);
    held.lease.catch(() => this.#forget(seconds, held));
    return held.lease;
  }

  #forget(seconds: number, held: HeldLease): void {
    if (this.#held.get(seconds) === held) this.#held.delete(seconds);
  }
}
