import type { BucketAnswer, BucketRef, BucketRequest, BucketSnapshot } from "@dt/core";
import { inspectBucket } from "@dt/core/ledger";
import type { Session } from "../sessions.ts";
import type { DocumentCell } from "../timed-document/document-cell.ts";
import { DocumentSession, type DocumentSessionOptions } from "../timed-document/document-session.ts";
import type { BucketContents } from "./bucket-document.ts";
import { BUCKET_KIND } from "./bucket-kind.ts";

/** One bucket as this client takes part in it. */
export class BucketSession implements Session {
  readonly #session: DocumentSession<BucketContents, BucketRequest, BucketAnswer>;

  /** @param limit where the bucket's limit record is kept */
  constructor(cell: DocumentCell, limit: DocumentCell, options: DocumentSessionOptions) {
    this.#session = new DocumentSession(BUCKET_KIND, cell, options, limit);
  }

  get isIdle(): boolean {
    return this.#session.isIdle;
  }

  /** @throws DtError `DT_PACE_MISMATCH`, `DT_STORE_DATA`, `DT_STORE_UNAVAILABLE`, and what the cell throws */
  async take(request: BucketRequest, over: AbortSignal): Promise<BucketAnswer> {
    return (await this.#session.run(request, over)) as BucketAnswer;
  }

  /** @throws as {@link take}, but not for what is damaged */
  reset(over: AbortSignal): Promise<void> {
    return this.#session.reset(over);
  }

  /**
   * What the bucket holds, at its time as far as this client knows it.
   * @throws DtError `DT_STORE_DATA`, and what the cell throws
   */
  inspect(bucket: BucketRef): Promise<BucketSnapshot | undefined> {
    return this.#session.look(({ table }, nowMs) => inspectBucket(table, bucket, nowMs));
  }

  end(): void {
    this.#session.end();
  }
}
