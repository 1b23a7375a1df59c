import type { Reservation } from "../contract/permit-ledger.ts";
import { randomId } from "../runtime/runtime.ts";
import { blockSize, NO_TURNS, type Turn, turnOf } from "./block-size.ts";
import { type HeldInstant, heldInstants, type TimedReservation } from "./held-instants.ts";
import type { PacerSettings } from "./pacer-options.ts";
import type { PermitClient } from "./permit-client.ts";

/**
 * A refused request keeps its place in the store's queue for this long, and two round trips, beyond the time it was
 * told to come back.
 */
const QUEUE_GRACE_MS = 500;

/** Asks again after so long at least, whatever it was told: the key may have been reset meanwhile. */
export const LONGEST_WAIT_MS = 30_000;

/** The same of a key with a stored limit: that may be raised meanwhile. */
const LONGEST_STORED_WAIT_MS = 1_000;

/** Callers for which permits may be asked, and those that have had theirs. */
export interface Demanded {
  readonly queued: number;
  readonly granted: number;
}

/**
 * The one request that is under way or queued at the store. It is kept as it is until it is granted, so that it keeps
 * its place and means the same whenever it takes effect.
 */
export class OpenRequest {
  readonly #settings: PacerSettings;
  readonly #client: PermitClient;
  #request: { readonly id: string; readonly cost: number; readonly count: number } | undefined;
  /** What the last refusal came to. */
  #turn: Turn = NO_TURNS;
  #last = { atMs: 0, granted: 0, roundTripMs: 0 };

  constructor(settings: PacerSettings, client: PermitClient) {
    this.#settings = settings;
    this.#client = client;
  }

  /** What each of its permits costs; undefined when there is no request. */
  get cost(): number | undefined {
    return this.#request?.cost;
  }

  /** Sends the request; where there is none, one for permits of this cost. */
  async send(costOfNew: number, demanded: Demanded): Promise<TimedReservation> {
    const { runtime, maxReserved } = this.#settings;
    this.#request ??= { id: randomId(runtime), cost: costOfNew, count: this.#count(costOfNew, demanded) };
    const queueMs = QUEUE_GRACE_MS + 2 * this.#last.roundTripMs;
    const timed = await this.#client.reserve({ ...this.#request, maxReserved, queueMs });
    this.#last.roundTripMs = timed.receivedMs - timed.sentMs;
    return timed;
  }

  /** It was granted, and is over: these are its instants. */
  end(timed: TimedReservation): HeldInstant[] {
    const { maxReserved, permitTtlMs } = this.#settings;
    const id = this.#request?.id ?? "";
    this.#request = undefined;
    // Far from the bound, no process has to leave room to others.
    if (timed.reservation.reservedAhead * 2 < maxReserved) this.#turn = NO_TURNS;
    return heldInstants(id, timed, permitTtlMs);
  }

  /**
   * It was refused; returns the milliseconds after which it should be sent again. A pessimistic one adds jitter, so
   * that processes do not come back in step.
   */
  comeBackIn(reservation: Reservation): number {
    const { runtime, maxReserved, everyMs } = this.#settings;
    this.#turn = turnOf(this.#settings, reservation);
    const isStored = reservation.limit !== undefined;
    const isPessimistic = maxReserved === 0 || (isStored && everyMs > LONGEST_STORED_WAIT_MS);
    const longestMs = isStored ? LONGEST_STORED_WAIT_MS : LONGEST_WAIT_MS;
    const jitterMs = isPessimistic ? runtime.random() * Math.min(everyMs / 10, 50) : 0;
    const dueMs = reservation.retryAfterMs + this.#turn.waitMs;
    return Math.min(longestMs, Math.max(Math.min(1, everyMs), dueMs)) + jitterMs;
  }

  /** Gives up the request, with its place in the store's queue and what it may have been granted. */
  giveUp(): void {
    if (this.#request) this.#client.release(this.#request.id, 0);
    this.#request = undefined;
  }

  /** How many permits a new request asks for. */
  #count(cost: number, { queued, granted }: Demanded): number {
    const nowMs = this.#settings.runtime.now();
    const last = this.#last;
    const perMs = (granted - last.granted) / Math.max(1, nowMs - last.atMs);
    this.#last = { atMs: nowMs, granted, roundTripMs: last.roundTripMs };
    if (cost !== 1) return 1;
    return Math.min(this.#turn.most, blockSize(this.#settings, queued, perMs, last.roundTripMs));
  }
}
