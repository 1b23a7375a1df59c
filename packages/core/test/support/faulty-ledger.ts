import type { PermitLedger, PermitRelease, PermitRequest, Reservation } from "../../src/index.ts";
import type { VirtualRuntime } from "../../src/testing/index.ts";

/** A ledger behind a link: each way takes time, and calls or replies can be lost. Counts what passes. */
export class FaultyLedger implements PermitLedger {
  readonly #inner: PermitLedger;
  readonly #runtime: VirtualRuntime;
  thereMs = 0;
  backMs = 0;
  fault: "none" | "loseCalls" | "loseReplies" = "none";
  reserves = 0;
  releases = 0;
  /** Changes an answer on its way. */
  forge: (reservation: Reservation) => unknown = (reservation) => reservation;

  constructor(inner: PermitLedger, runtime: VirtualRuntime) {
    this.#inner = inner;
    this.#runtime = runtime;
  }

  async reserve(key: string, request: PermitRequest): Promise<Reservation> {
    this.reserves += 1;
    const answer = await this.#through(() => this.#inner.reserve(key, request));
    return this.forge(answer) as Reservation;
  }

  release(key: string, release: PermitRelease): Promise<void> {
    this.releases += 1;
    return this.#through(() => this.#inner.release(key, release));
  }

  async #through<T>(call: () => Promise<T>): Promise<T> {
    await this.#delay(this.thereMs);
    if (this.fault === "loseCalls") return new Promise(() => undefined);
    const answer = await call();
    await this.#delay(this.backMs);
    return this.fault === "loseReplies" ? new Promise(() => undefined) : answer;
  }

  #delay(ms: number): Promise<void> | undefined {
    if (ms === 0) return undefined;
    return new Promise((resolve) => {
      this.#runtime.setTimer(resolve, ms);
    });
  }
}
