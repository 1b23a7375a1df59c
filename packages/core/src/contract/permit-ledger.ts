import type { PermitPage } from "./listing.ts";
import type { PermitSnapshot } from "./permit-snapshot.ts";

/**
 * # The permit contract
 *
 * A permit is the right to act at one instant on the store's clock. A ledger keeps, for every key, one timestamp (GCRA:
 * the *theoretical arrival time*, when the next permit would be due if nothing were idle), the reservations that are
 * still to come, and the instants that were given back. Waiting until the instant comes is the caller's part
 * (`createPacer`). Source: seed "Distributed Throttle", sections "Fixed Rate Limiter" to "Clocks".
 *
 * `@dt/core/ledger` exports the arithmetic as pure functions (`reservePermits`, `releasePermits`) over a small table of
 * rows.
 *
 * ## Rules
 *
 * - **P1 atomic.** Operations on a key are atomic with respect to each other, from any process.
 * - **P2 store time.** All instants are on the store's clock, which never goes back for a key. A hybrid clock may stand
 *   still while nobody calls.
 * - **P3 spacing.** Two permits of a key are at least `cost x everyMs` of the earlier one apart; with `burst` b, up to
 *   b units may come at once after idleness (GCRA: an instant is never earlier than the theoretical arrival time less
 *   (b - min(max(cost, 1), b)) x everyMs).
 * - **P4 bound.** A permit is reserved ahead only while fewer than `maxReserved` are. How many are is floor((next -
 *   every - now) / every), the formula of the distributed throttle's design. Otherwise the answer is `granted: 0` with
 *   the exact time after which it is worth trying again. `maxReserved` 0 reserves nothing ahead: only what is due is
 *   granted. Due is also what is to come within 2^-12 ms for each unit of `burst` (the rounding of their sum), at most
 *   0.1 ms.
 * - **P5 order.** Instants are given in the order of reservation; an instant given back is given to the next
 *   reservation that fits into the `cost x everyMs` it was reserved with, if it is still to come.
 * - **P6 repeats.** A reservation is known by its request's `id` until `keepMs` after its last instant: the same id
 *   again is answered the same reservation, as much of it as was not given back (`granted` and `retryAfterMs` 0 when
 *   all was). Releasing twice frees once.
 * - **P7 release.** `release(id, keep)` gives back all but the first `keep` instants of a reservation. The rest was not
 *   and will not be used.
 * - **P8 queue.** A request with `queueMs` that is refused stands in line, by its id, for that long. While somebody is
 *   in line, a later request is answered as if each of those ahead of it had taken a permit already. So nobody starves.
 * - **P9 isolation and deadlines.** As R15 and R16 of the store contract.
 * - **P10 terms.** A request may say the `terms` that all users of the key must agree on. The ledger records them with
 *   the key, and refuses a request with other terms (`DT_PACE_MISMATCH`, without effect) until 10 s after the last use
 *   of the key and after all that is reserved. A request may also name `formerTerms`, which its own take the place of:
 *   then requests with either are served. A request without terms is always served.
 * - **P11 bounds.** What a request can reserve at most, `count x cost x everyMs`, is a day, unless it is one permit of
 *   a cost of 1 or less. Otherwise one call could block a key for years.
 * - **P12 reset.** `resetPermits` forgets a key, but for its time and the permits reserved for the coming minute: these
 *   keep their distance, from each other and to the next one. Later reservations, instants given back, places in line
 *   and terms are gone. A key whose data is damaged is refused (`DT_STORE_DATA`, with the remedy) until it is reset,
 *   and forgotten whole then.
 * - **P13 inspection.** `inspectPermits` tells what a key holds, at the time that it says, and changes nothing. The
 *   answer is undefined for a key that nobody has used, or of which nothing is left: nothing is reserved, given back,
 *   known or in line, and no terms bind.
 * - **P14 listing.** `listPermits` tells which keys there are, a page at a time, as R26 of the store contract says it
 *   of groups. Every key is listed of which something is left (P13) from the first page to the last; one that nobody
 *   has used is not.
 */
export interface PermitLedger {
  /** See {@link CoordinationStore.setUp}. A process calls it before its first request. */
  setUp?(signal?: AbortSignal): Promise<void>;
  /** @throws DtError `DT_PACE_MISMATCH` (P10), `DT_STORE_DATA` (P12), and the codes of R16 */
  reserve(key: string, request: PermitRequest, signal?: AbortSignal): Promise<Reservation>;
  /** @throws DtError with the codes of R16 */
  release(key: string, release: PermitRelease, signal?: AbortSignal): Promise<void>;
  /**
   * Resets a key by P12; nothing happens when there is none. Those in line lose their places, and are served as they
   * ask again. Whoever holds an instant more than a minute ahead still uses it, without any distance to those reserved
   * after the reset. Absent in a ledger that cannot.
   * @throws DtError with the codes of R16
   */
  resetPermits?(key: string, signal?: AbortSignal): Promise<void>;
  /**
   * What a key holds now, for people and tools (P13). O(what the key has). Absent in a ledger that cannot tell.
   * @throws DtError `DT_STORE_DATA` (P12), and the codes of R16
   */
  inspectPermits?(key: string, signal?: AbortSignal): Promise<PermitSnapshot | undefined>;
  /**
   * One page of the keys that there are, in no order (P14): the first without a cursor, each other one with the
   * `next` of the page before it. Absent in a ledger that cannot tell.
   * @throws DtError `DT_INVALID_OPTION` for a cursor that no page gave; the codes of R16
   */
  listPermits?(cursor?: string, signal?: AbortSignal): Promise<PermitPage>;
  /**
   * Calls back soon after an instant of this key was given back, as a hint to try again. Hints may be lost or repeated.
   * Absent where the store cannot push.
   * @throws DtError with the codes of R16
   */
  watchPermits?(key: string, onFreed: () => void, signal?: AbortSignal): Promise<() => void>;
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
  /** How long a refused request stays in line; 0 = does not queue. */
  readonly queueMs: number;
  /** What all users of the key must agree on (P10); 1 to 1,024 bytes. Absent: says nothing. */
  readonly terms?: string;
  /** Terms that `terms` take the place of (P10). */
  readonly formerTerms?: string;
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
  readonly firstMs: number;
  readonly stepMs: number;
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
}
