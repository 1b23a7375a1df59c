import type { BucketAnswer, BucketRef, BucketRequest, BucketSnapshot, DtError } from "@dt/core";
import type { LimitRecordHead } from "@dt/core/ledger";
import type { PlainBucketTable } from "./suite-internals.ts";
import type { Unchecked } from "./without-checks.ts";

/** One request as the ledger of buckets gets it. */
export interface TakeAtServer {
  readonly table: PlainBucketTable;
  readonly request: BucketRequest;
  readonly nowMs: number;
  /** The record of the bucket's limit. */
  readonly head: LimitRecordHead | undefined;
}

/** The answers to the requests of a call. */
export type Answers = readonly (BucketAnswer | DtError)[];

/** What is wrong with the buckets of a store. Everything that is not overridden is as it should be. */
export interface BucketFlaw {
  /** Under which name a bucket is kept. */
  readonly key?: (bucket: BucketRef) => string;
  /** Whose record is read. */
  readonly record?: (bucket: BucketRef) => BucketRef;
  /** The time that a request sees; `client` numbers the stores that were made. */
  readonly clock?: (nowMs: number, client: number) => number;
  /** `proceed` does it as it should be done, or with another request. */
  readonly take?: (operation: TakeAtServer, proceed: (request?: BucketRequest) => BucketAnswer) => BucketAnswer;
  /** A whole call; `serve` serves one request after the other. */
  readonly batch?: (
    requests: readonly BucketRequest[],
    serve: (requests: readonly BucketRequest[]) => Promise<Answers>,
  ) => Promise<Answers>;
  readonly reset?: (table: PlainBucketTable, proceed: () => void) => void;
  readonly inspect?: (
    operation: { readonly table: PlainBucketTable; readonly nowMs: number },
    proceed: () => BucketSnapshot | undefined,
  ) => BucketSnapshot | undefined;
  /** What becomes of a bucket whose data is damaged: it is served as if it were new, or a reset does not mend it. */
  readonly damaged?: "served" | "kept";
  /** Nothing is forgotten, or also what is only in hand. */
  readonly forgets?: "nothing" | "hands";
  /** Reads, lets other operations happen, and then writes. */
  readonly torn?: boolean;
  /** Leaves out checks of what callers hand in. */
  readonly unchecked?: Unchecked;
}
