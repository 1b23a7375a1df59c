import type { LimitRecordHead } from "@dt/core/ledger";
import type { DocumentUse } from "./document-use.ts";

/** The longest document, in characters: stores hold at least 400 KB, and a long document makes every operation slow. */
export const LONGEST_TEXT = 300_000;

/** A document: what is in it, and who uses it. */
export type TimedDocument<Contents> = Contents & { readonly use: DocumentUse };

/**
 * What documents of one kind hold, and what can be done with them. A session needs no more to take part in one.
 * Methods change the contents that they are given; `nowMs` is the document's time.
 */
export interface DocumentKind<Contents, Request, Answer> {
  /** What one is in messages: `"the key"`. */
  readonly what: string;
  /** What a clock does that is too far ahead, see `DocumentClock`: false where times are counted over several calls. */
  readonly staysAhead: boolean;
  /** @throws DtError `DT_STORE_UNAVAILABLE` when there is too much of it */
  encode(document: TimedDocument<Contents>): string;
  /**
   * Reads back what {@link encode} made.
   * @param where what holds it, for messages
   * @throws DtError `DT_STORE_DATA` when it is something else
   */
  decode(text: string, where: string): TimedDocument<Contents>;
  /** Of which nothing is known. */
  begin(): Contents;
  /** True for a request that is a use: it begins a document where there is none. */
  isUse(request: Request): boolean;
  /** True for a request with `stored`: its limit record is read with the document. */
  isStored(request: Request): boolean;
  /** The state of the limit record that the copy in the document is of (L3); undefined where there is no copy. */
  copiedFrom(contents: Contents): number | undefined;
  /**
   * @param limit the limit record, for a request with `stored`
   * @throws DtError `DT_PACE_MISMATCH`, `DT_STORE_DATA`; nothing is changed then
   */
  apply(contents: Contents, request: Request, nowMs: number, limit: LimitRecordHead | undefined): Answer;
  /** Forgets what is in a document, but not its time. */
  reset(contents: Contents, nowMs: number): void;
  /** Records the time. */
  renew(contents: Contents, nowMs: number): void;
  /** The document's time at its last change; 0 when nothing is known of it. */
  lastMs(contents: Contents): number;
  /** Until when something lies ahead that becomes past by nothing but time. */
  aheadUntilMs(contents: Contents): number;
  /** How long from its last change the document means something. */
  meansForMs(contents: Contents): number;
}
