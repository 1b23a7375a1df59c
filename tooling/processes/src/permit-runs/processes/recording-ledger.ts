import type { PermitLedger, PermitRelease, PermitRequest, Reservation } from "@dt/core";
import { instantOf } from "@dt/core/ledger";
import type { Reserved } from "../settings.ts";

/** A ledger that remembers what it was answered, and what was given back. */
export class RecordingLedger implements PermitLedger {
  readonly errors: string[] = [];
  readonly watchPermits?: NonNullable<PermitLedger["watchPermits"]>;
  readonly #ledger: PermitLedger;
  readonly #reserved = new Map<string, Reserved>();
  /** How many of its instants a request keeps, also when it was given back before its answer came. */
  readonly #kept = new Map<string, number>();

  constructor(ledger: PermitLedger) {
    this.#ledger = ledger;
    const watch = ledger.watchPermits?.bind(ledger);
    if (watch) this.watchPermits = watch;
  }

  get reserved(): readonly Reserved[] {
    return [...this.#reserved].map(([id, reserved]) => ({
      ...reserved,
      kept: Math.min(reserved.instantsMs.length, this.#kept.get(id) ?? Number.POSITIVE_INFINITY),
    }));
  }

  async reserve(key: string, request: PermitRequest, signal?: AbortSignal): Promise<Reservation> {
    const reservation = await this.#noting(this.#ledger.reserve(key, request, signal));
    const { granted, storeTimeMs, reservedAhead } = reservation;
    if (granted > 0 && !this.#reserved.has(request.id)) {
      const instantsMs = Array.from({ length: granted }, (_, i) => instantOf(reservation, i));
      this.#reserved.set(request.id, { instantsMs, kept: granted, storeTimeMs, reservedAhead });
    }
    return reservation;
  }

  async release(key: string, release: PermitRelease, signal?: AbortSignal): Promise<void> {
    this.#kept.set(release.id, Math.min(release.keep, this.#kept.get(release.id) ?? release.keep));
    await this.#noting(this.#ledger.release(key, release, signal));
  }

  async #noting<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      this.errors.push(String(error));
      throw error;
    }
  }
}
