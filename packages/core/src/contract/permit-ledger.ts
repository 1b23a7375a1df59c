import type { PermitPage } from "./listing.ts";
import type { PermitSnapshot } from "./permit-snapshot.ts";

/**
 * A ledger of permits: the right to act at one instant on the store's clock, handed out per key. Waiting until the
 * instant comes is the caller's part (`createPacer`).
 *
 * P1, P2, ... are the rules of docs/store-contract.md of the repository. For every call these hold: operations on a key
 * are atomic (P1), and instants are on the store's clock (P2). A request may come twice (P6). The call settles within
 * the adapter's deadline, with the errors of R16 (P9).
 */
export interface PermitLedger {
  /**
   * See {@link CoordinationStore.setUp}. A process calls it before its first request.
   * @param signal ends the call early, with its reason
   */
  setUp?(signal?: AbortSignal): Promise<void>;
  /**
   * Reserves up to `count` instants in a row, each `cost x everyMs` after the one before (P3), while fewer than
   * `maxReserved` are reserved ahead (P4). Instants that were given back go first (P5). A request that is refused may
   * wait in the queue (P8). The same `id` again is answered the same reservation (P6). A request may pause the key, and
   * is then answered like those after it (P15): with a `maxReserved` of 0 it reserves nothing.
   * @param key the key's name
   * @param request what is asked for
   * @param signal ends the call early, with its reason
   * @throws DtError `DT_PACE_MISMATCH` (P10), `DT_STORE_DATA` (P12), and the codes of R16
   */
  reserve(key: string, request: PermitRequest, signal?: AbortSignal): Promise<Reservation>;
  /**
   * Gives back all but the first `keep` instants of a reservation (P7). The same call twice frees them once (P6).
   * @param key the key's name
   * @param release what is given back
   * @param signal ends the call early, with its reason
   * @throws DtError with the codes of R16
   */
  release(key: string, release: PermitRelease, signal?: AbortSignal): Promise<void>;
  /**
   * Resets a key by P12; nothing happens when there is no such key. Requests in the queue lose their places, and are
   * served as they come again. A caller that holds an instant more than a minute ahead still uses it, without any
   * distance to those reserved after the reset. Absent in a ledger that cannot reset a key.
   * @param key the key's name
   * @param signal ends the call early, with its reason
   * @throws DtError with the codes of R16
   */
  resetPermits?(key: string, signal?: AbortSignal): Promise<void>;
  /**
   * What a key holds now, for people and tools (P13). O(what the key has). Absent in a ledger that cannot show it.
   * @param key the key's name
   * @param signal ends the call early, with its reason
   * @throws DtError `DT_STORE_DATA` (P12), and the codes of R16
   */
  inspectPermits?(key: string, signal?: AbortSignal): Promise<PermitSnapshot | undefined>;
  /**
   * One page of the keys that there are, in no order (P14). The first page takes no cursor, each other one the `next`
   * of the page before it. Absent in a ledger that cannot list them.
   * @param cursor the `next` of the page before; left out for the first page
   * @param signal ends the call early, with its reason
   * @throws DtError `DT_INVALID_OPTION` for a cursor that no page gave; the codes of R16
   */
  listPermits?(cursor?: string, signal?: AbortSignal): Promise<PermitPage>;
  /**
   * Calls back soon after an instant of this key was given back, as a hint to try again. Hints may be lost or repeated.
   * Absent where the store sends no hints.
   * @param key the key's name
   * @param listener the function that receives each of them
   * @param signal ends the call early, with its reason
   * @throws DtError with the codes of R16
   */
  onPermitHint?(key: string, listener: () => void, signal?: AbortSignal): Promise<() => void>;
}

/** What is asked of a key. */
export interface PermitRequest {
  /** Random, unique to this request (P6). */
  readonly id: string;
  /**
   * Most permits wanted, >= 1. More than one is a block: one round trip, as many instants in a row as the bound allows.
   */
  readonly count: number;
  /** What each permit costs, in units of `everyMs`; > 0. */
  readonly cost: number;
  /** Interval per unit, in milliseconds; > 0. */
  readonly everyMs: number;
  /** Units that may come at once after idleness, >= 1. */
  readonly burst: number;
  /** Permits that may be reserved ahead, >= 0. */
  readonly maxReserved: number;
  /** How long after its last instant a reservation stays known. */
  readonly keepMs: number;
  /** How long a refused request stays in the queue; 0 for not at all. */
  readonly queueMs: number;
  /** What must match among all users of the key (P10); 1 to 1,024 bytes. Absent: the request fits any terms. */
  readonly terms?: string;
  /** Terms that `terms` take the place of (P10). */
  readonly formerTerms?: string;
  /** No instant of the key may lie in so many milliseconds from now on (P15): >= 0, at most a day. */
  readonly pauseMs?: number;
  /**
   * True where the limit lives in the store (P16): `everyMs` and `burst` are the code's values then, and count where
   * the store has none.
   */
  readonly stored?: boolean;
}

/** Which permits are given back. */
export interface PermitRelease {
  /** The id of the request that reserved them. */
  readonly id: string;
  /** How many of its instants, from the first, stay reserved; 0 gives back all. */
  readonly keep: number;
}

/**
 * The answer to a request. Instant i (0 <= i < granted) is `max(earliestMs, firstMs + i * stepMs)` on the store's
 * clock.
 */
export interface Reservation {
  /** Permits reserved: 0 to `count`. */
  readonly granted: number;
  /** The first instant, before it is kept from lying too early, in milliseconds of the store's time. */
  readonly firstMs: number;
  /** The distance between two instants, in milliseconds. */
  readonly stepMs: number;
  /** No instant lies before this time, in milliseconds of the store's time. */
  readonly earliestMs: number;
  /**
   * With `granted` 0: milliseconds after which a request may succeed; otherwise, and for a repeat of what was given
   * back, 0.
   */
  readonly retryAfterMs: number;
  /** Permits reserved ahead after this request, by the formula of P4. */
  readonly reservedAhead: number;
  /** The store's time when it answered, in milliseconds. */
  readonly storeTimeMs: number;
  /** What is left of the key's pause (P15), in milliseconds; absent where there is none. */
  readonly pausedForMs?: number;
  /** What counted for the request (P16); absent where the key has no stored limit. */
  readonly limit?: PermitLimit;
}

/** The numbers of a key's limit that count for a request (P16). */
export interface PermitLimit {
  /** Interval per unit, in milliseconds. */
  readonly everyMs: number;
  /** Units that may come at once after idleness. */
  readonly burst: number;
}
