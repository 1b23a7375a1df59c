import type { DtError } from "../errors/dt-error.ts";
import type { BucketLimit, BucketRef } from "./bucket.ts";
import type { BucketSnapshot } from "./bucket-snapshot.ts";
import type { BucketPage } from "./listing.ts";

/**
 * A ledger of buckets: one for each key of a keyed limit, such as a tenant. Many are asked for in one round trip.
 * Waiting is the caller's part (`createKeyed` of `@dt/keyed`).
 *
 * K1, K2, ... are the rules of docs/store-contract.md of the repository. For every call these hold: operations on a
 * bucket are atomic (K1), and times are on the store's clock (K2). A request may come twice (K7). The call settles
 * within the adapter's deadline, with the errors of R16 (K11).
 */
export interface KeyedLedger {
  /**
   * See {@link CoordinationStore.setUp}. A process calls it before its first request.
   * @param signal ends the call early, with its reason
   */
  setUp?(signal?: AbortSignal): Promise<void>;
  /**
   * Serves requests to buckets, each as a whole and by itself, those to one bucket in their order (K1). One round trip
   * where the database can.
   * @param requests what is asked for: 1 to 1,000 requests
   * @param signal ends the call early, with its reason
   * @returns an answer for each request, or the error that is this request's alone: `DT_PACE_MISMATCH` (K9),
   *   `DT_STORE_DATA` (K12), or one of R16 where a part of the database is away (K11)
   * @throws DtError with the codes of R16; some of the requests may have been served then
   */
  take(requests: readonly BucketRequest[], signal?: AbortSignal): Promise<readonly (BucketAnswer | DtError)[]>;
  /**
   * Forgets a bucket (K12); nothing happens when there is no such bucket. Absent in a ledger that cannot reset one.
   * @param bucket which one
   * @param signal ends the call early, with its reason
   * @throws DtError with the codes of R16
   */
  resetBucket?(bucket: BucketRef, signal?: AbortSignal): Promise<void>;
  /**
   * What a bucket holds now, for people and tools (K13). Absent in a ledger that cannot show it.
   * @param bucket which one
   * @param signal ends the call early, with its reason
   * @throws DtError `DT_STORE_DATA` (K12), and the codes of R16
   */
  inspectBucket?(bucket: BucketRef, signal?: AbortSignal): Promise<BucketSnapshot | undefined>;
  /**
   * One page of the buckets that there are, in no order (K13). The first page takes no cursor, each other one the
   * `next` of the page before it. Absent in a ledger that cannot list them.
   * @param cursor the `next` of the page before; left out for the first page
   * @param signal ends the call early, with its reason
   * @throws DtError `DT_INVALID_OPTION` for a cursor that no page gave; the codes of R16
   */
  listBuckets?(cursor?: string, signal?: AbortSignal): Promise<BucketPage>;
}

/**
 * What is asked of a bucket. First slots are given back and renewed (K6). Then hits are counted (K8), and units in hand
 * are reported (K5). Last, units are taken (K3, K4). A request with none of these only looks.
 */
export interface BucketRequest extends BucketRef {
  /** The key's limit, as the process knows it. Absent in a request that only counts hits. */
  readonly limit?: BucketLimit;
  /** The limit that `limit` takes the place of (K9). Without a meaning beside `stored`. */
  readonly formerLimit?: BucketLimit;
  /**
   * True: the limit lives in the store, as the record `{ kind: "keyed", name, key }`, and `limit` counts while nothing
   * is set there (K9). Default false.
   */
  readonly stored?: boolean;
  /** What is taken. */
  readonly take?: BucketTake;
  /** What the process has in hand of this bucket. Units that are taken are added to it. */
  readonly hold?: BucketHold;
  /** Slots that are still used: their ids, at most 1,000. */
  readonly renew?: readonly string[];
  /** How long renewed slots stay taken, in milliseconds. */
  readonly renewMs?: number;
  /** Slots that are given back: their ids, at most 1,000. */
  readonly release?: readonly string[];
  /** Hits that are counted. */
  readonly hits?: BucketHits;
}

/** Units that are taken. */
export interface BucketTake {
  /** Units wanted, all or nothing: a whole number from 1 to the burst; with `stored`, to any burst. */
  readonly cost: number;
  /** A cost that could be spent only later than this is refused, and nothing is taken. More than 0 only with `hold`. */
  readonly maxWaitMs: number;
  /** Units wanted besides, as many as there are: a whole number >= 0. More than 0 only with `hold`. */
  readonly ahead: number;
  /** Of these, units that could be spent only later than this are not taken; >= 0. */
  readonly aheadWithinMs: number;
  /** A slot that is taken with the cost, where the limit has `concurrent`. */
  readonly slot?: { readonly id: string; readonly forMs: number };
}

/** What a process has in hand of a bucket: units that it took and has not spent. */
export interface BucketHold {
  /** Random, the same for all requests of one process about one bucket. */
  readonly id: string;
  /** Grows with each request of this id. */
  readonly seq: number;
  /** All units of this id that were spent so far; it never falls. */
  readonly spent: number;
  /** Units that the process has in hand and goes on holding; the other units that it took go back to the bucket. */
  readonly keep: number;
  /** How long after this request the process may spend its units, in milliseconds. */
  readonly forMs: number;
}

/** Hits that are counted in a fixed window, which begins with the first hit. */
export interface BucketHits {
  /** The window's length, in milliseconds; >= 1. */
  readonly windowMs: number;
  /** What is added: a whole number, at most 1,000,000. 0 only looks, and less than 0 takes back. */
  readonly by: number;
}

/** What was done, and how the bucket stands now. */
export interface BucketAnswer {
  /** Units that were taken: 0 for a refusal and without `take`, otherwise the cost and what came with it. */
  readonly granted: number;
  /**
   * Unit number n of those, from 1, may be spent at `max(storeTimeMs, firstMs + (n - 1) x everyMs)` on the store's
   * clock; the whole cost at the time of its last unit. 0 where nothing was taken.
   */
  readonly firstMs: number;
  /** How long the cost has to wait, or would have to where it is refused, in milliseconds; 0 without `take`. */
  readonly waitMs: number;
  /** What makes the cost wait or refuses it; absent where it need not wait. */
  readonly limitedBy?: "rate" | "concurrent";
  /** The limit in force. */
  readonly limit?: BucketLimit;
  /** The time in which one unit comes back, in milliseconds; 0 without a limit. */
  readonly everyMs: number;
  /** Units that may be spent now, those that processes hold left out; less than 0 where units are reserved ahead. */
  readonly remaining: number;
  /** The time until the bucket is full again, in milliseconds; 0 where it is. */
  readonly resetMs: number;
  /** Units that the process of `hold` has in hand after this request, by the bucket's row; 0 without `hold`. */
  readonly inHand: number;
  /** Slots in use. */
  readonly inFlight: number;
  /** Slots of `renew` that are not known any more. */
  readonly lost: readonly string[];
  /** Hits of the running window. */
  readonly hits: number;
  /** The time until that window ends, in milliseconds; 0 where none runs. */
  readonly hitsResetMs: number;
  /** The store's time when it answered, in milliseconds. */
  readonly storeTimeMs: number;
}
