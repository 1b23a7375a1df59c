import type { PermitLedger, PermitRelease, PermitRequest, Reservation } from "@dt/core";
import { instantOf } from "@dt/core/ledger";
import { machineNow } from "../machine-now.ts";
import type { Entry } from "./log.ts";

/** A ledger that writes down what it was answered, what is given back, and what fails. */
export class RecordingLedger implements PermitLedger {
  readonly onPermitHint?: NonNullable<PermitLedger["onPermitHint"]>;
  readonly #ledger: PermitLedger;
  readonly #write: (entry: Entry) => void;

  constructor(ledger: PermitLedger, write: (entry: Entry) => void) {
    this.#ledger = ledger;
    this.#write = write;
    const onHint = ledger.onPermitHint?.bind(ledger);
    if (onHint) this.onPermitHint = onHint;
  }

  async reserve(key: string, request: PermitRequest, signal?: AbortSignal): Promise<Reservation> {
    const sentMs = machineNow();
    const reservation = await this.#noting(this.#ledger.reserve(key, request, signal));
    const { granted, storeTimeMs, reservedAhead } = reservation;
    const receivedMs = machineNow();
    // What comes after it was given up is nobody's.
    const instantsMs = signal?.aborted ? [] : Array.from({ length: granted }, (_, i) => instantOf(reservation, i));
    this.#write({ type: "answered", id: request.id, instantsMs, storeTimeMs, reservedAhead, sentMs, receivedMs });
    return reservation;
  }

  release(key: string, release: PermitRelease, signal?: AbortSignal): Promise<void> {
    this.#write({ type: "gave-back", id: release.id, keep: release.keep });
    return this.#noting(this.#ledger.release(key, release, signal));
  }

  async #noting<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      this.#write({ type: "failed", error: String(error) });
      throw error;
    }
  }
}
