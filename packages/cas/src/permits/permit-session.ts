import type { PermitRelease, PermitRequest, PermitSnapshot, Reservation } from "@dt/core";
import { inspectPermits } from "@dt/core/ledger";
import type { Session } from "../sessions.ts";
import type { DocumentCell } from "../timed-document/document-cell.ts";
import { DocumentSession, type DocumentSessionOptions } from "../timed-document/document-session.ts";
import type { PermitContents } from "./permit-document.ts";
import { PERMIT_KIND, type PermitOperation } from "./permit-kind.ts";

/** One key's permits as this client takes part in them. */
export class PermitSession implements Session {
  readonly #session: DocumentSession<PermitContents, PermitOperation, Reservation | undefined>;

  /** @param limit where the limit record of the key is kept */
  constructor(cell: DocumentCell, limit: DocumentCell, options: DocumentSessionOptions) {
    this.#session = new DocumentSession(PERMIT_KIND, cell, options, limit);
  }

  get isIdle(): boolean {
    return this.#session.isIdle;
  }

  /** @throws DtError `DT_PACE_MISMATCH`, `DT_STORE_DATA`, `DT_STORE_UNAVAILABLE`, and what the cell throws */
  async reserve(request: PermitRequest, over: AbortSignal): Promise<Reservation> {
    return (await this.#session.run({ kind: "reserve", request }, over)) as Reservation;
  }

  /** @throws as {@link reserve} */
  async release(release: PermitRelease, over: AbortSignal): Promise<void> {
    await this.#session.run({ kind: "release", release }, over);
  }

  /** @throws as {@link reserve}, but not for what is damaged */
  reset(over: AbortSignal): Promise<void> {
    return this.#session.reset(over);
  }

  /**
   * What the key holds, at its time as far as this client knows it.
   * @throws DtError `DT_STORE_DATA`, and what the cell throws
   */
  inspect(key: string): Promise<PermitSnapshot | undefined> {
    return this.#session.look(({ table }, nowMs) => inspectPermits(table, key, nowMs));
  }

  end(): void {
    this.#session.end();
  }
}
