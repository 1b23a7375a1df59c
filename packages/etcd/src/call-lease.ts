import type { Runtime } from "@dt/core";
import type { Driver, Lease } from "./driver.ts";

/**
 * The lease of the member that a call is made for. Calls of one process are written one after the other, and others may
 * win one race after the other: a call that waits for its turn for longer than the lease lasts would find it ended, and
 * its member without a sign of life. So the lease is renewed while the call waits, and beside each attempt to write it:
 * round trips may be slow, and an attempt that loses is followed by another one.
 */
export class CallLease {
  readonly #driver: Driver;
  readonly #runtime: Runtime;
  #lease: Lease;
  #renewedMs: number;
  #isNew: boolean;

  /**
   * @param isNew true when the member's sign of life is not on it yet
   * @param renewedMs when it was renewed or asked for last, on the runtime's clock
   */
  constructor(driver: Driver, runtime: Runtime, lease: Lease, isNew: boolean, renewedMs: number) {
    this.#driver = driver;
    this.#runtime = runtime;
    this.#lease = lease;
    this.#isNew = isNew;
    this.#renewedMs = renewedMs;
  }

  /** The lease, when the member's sign of life is to be put on it. */
  get toAttach(): Lease | undefined {
    return this.#isNew ? this.#lease : undefined;
  }

  /**
   * Renews it when a quarter of its time has passed, or asks for another one when it has ended. No request, usually.
   */
  async refresh(): Promise<void> {
    if (!this.#isDue) return;
    const sentMs = this.#runtime.now();
    const { id, ttlMs } = this.#lease;
    if (!(await this.#driver.keepAlive(id))) {
      this.#lease = await this.#driver.grantLease(ttlMs / 1_000);
      this.#isNew = true;
    }
    this.#renewedMs = sentMs;
  }

  /**
   * Renews it when a quarter of its time has passed, beside a transaction that may name it. Nobody waits for that;
   * whether it has ended is found later.
   */
  renew(): void {
    if (!this.#isDue) return;
    const sentMs = this.#runtime.now();
    this.#driver.keepAlive(this.#lease.id).then(
      (isAlive) => {
        if (isAlive) this.#renewedMs = Math.max(this.#renewedMs, sentMs);
      },
      () => undefined,
    );
  }

  get #isDue(): boolean {
    return this.#runtime.now() - this.#renewedMs >= this.#lease.ttlMs / 4;
  }
}
