import type { DtError, PermitLedger, PermitRelease, PermitRequest, PermitSnapshot, Reservation } from "@dt/core";
import { checkName } from "@dt/core/kit";
import { checkPermitRelease, checkPermitRequest } from "@dt/core/ledger";
import { StoreShell } from "../store-shell.ts";
import type { PermitCell } from "./permit-cell.ts";
import type { PermitClock } from "./permit-clock.ts";
import { PermitSession, type PermitSessionOptions } from "./permit-session.ts";

/** What a {@link CasPermitLedger} works with. */
export interface CasPermitLedgerOptions extends PermitSessionOptions {
  /** The store's name, for messages: `"etcd"`. */
  readonly name: string;
  /** Where a key's document is kept. */
  readonly cellOf: (key: string) => PermitCell;
  /** Any failure of a call as the contract's. */
  readonly toDtError: (what: string, error: unknown) => DtError;
}

/**
 * The permit ledger of a store that can compare and swap one value for each key, and has no clock to ask. The rules are
 * those of {@link PermitLedger}.
 */
export class CasPermitLedger implements PermitLedger {
  readonly #shell: StoreShell<PermitSession>;

  constructor(options: CasPermitLedgerOptions) {
    const { name, runtime, timeoutMs, toDtError, cellOf } = options;
    const open = (key: string): PermitSession => new PermitSession(cellOf(key), options);
    this.#shell = new StoreShell({ name, runtime, timeoutMs, open, toDtError });
  }

  async reserve(key: string, request: PermitRequest, signal?: AbortSignal): Promise<Reservation> {
    checkPermitRequest(key, request);
    return this.#shell.inSession("reserve", key, signal, (session, over) => session.reserve(request, over));
  }

  async release(key: string, release: PermitRelease, signal?: AbortSignal): Promise<void> {
    checkPermitRelease(key, release);
    return this.#shell.inSession("release", key, signal, (session, over) => session.release(release, over));
  }

  async resetPermits(key: string, signal?: AbortSignal): Promise<void> {
    checkName("key", key);
    return this.#shell.inSession("resetPermits", key, signal, (session, over) => session.reset(over));
  }

  /** See {@link PermitLedger.inspectPermits}. The time told may be that of the last record, see {@link PermitClock}. */
  async inspectPermits(key: string, signal?: AbortSignal): Promise<PermitSnapshot | undefined> {
    checkName("key", key);
    return this.#shell.inSession("inspectPermits", key, signal, (session) => session.inspect(key));
  }

  /** Fails every call under way and to come, and records no time any more. */
  close(): void {
    this.#shell.close();
  }
}
