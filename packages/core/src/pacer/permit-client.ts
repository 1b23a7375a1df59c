import type { PermitLimit, PermitRequest, Reservation } from "../contract/permit-ledger.ts";
import { DtError, isDtError } from "../errors/dt-error.ts";
import { packageName } from "../errors/scope.ts";
import { withDeadline } from "../internal/deadline.ts";
import { describe } from "../internal/duration.ts";
import { type Runtime, randomId } from "../runtime/runtime.ts";
import { SleepWatch } from "../runtime/sleep-watch.ts";
import { heldInstants, type TimedReservation } from "./held-instants.ts";
import { KnownPause } from "./known-pause.ts";
import type { PacerSettings } from "./pacer-options.ts";
import { PauseTeller } from "./pause-teller.ts";

/**
 * What asking for a permit that is free now came to: the id it is given back by, or the milliseconds after which it is
 * worth asking again.
 */
export type Attempt = { readonly id: string; readonly lateMs: number } | { readonly retryAfterMs: number };

/** So little that a permit of this cost takes no time from others, whatever `everyMs` is. */
export const NEXT_TO_NOTHING = 1e-9;

/** A pause that the store answers is the one that it was asked for when it is no longer than that by so much. */
const ECHO_MS = 1;

type Operation = "reserve" | "release" | "onHint";

/** One key's permits at the store, every call with a deadline. */
export class PermitClient {
  readonly #settings: PacerSettings;
  readonly #assure: (() => Promise<void>) | undefined;
  readonly #pending = new Set<Promise<void>>();
  readonly #pause = new KnownPause();
  readonly #teller: PauseTeller;
  /** Permits that the store granted so far, those that were given back among them. */
  reserved = 0;
  /** Calls that were to give instants back and failed: other processes wait for those instants in vain. */
  unreleased = 0;
  readonly #stopped = new AbortController();
  #isSetUp: boolean;
  /** Why the last call failed; undefined after a success. */
  lastError: DtError | undefined;
  /** Told of each call that failed, unless its caller gave it up. */
  onError: (operation: Operation, error: DtError) => void = () => undefined;
  /** Told when another limit is in force, since it was set in the store. */
  onLimit: (from: PermitLimit, to: PermitLimit) => void = () => undefined;
  /**
   * Told when a pause begins or becomes longer, before anything else is made of the answer that told of it.
   * @param isEcho what was asked for here has come back from the store, which counts it from a moment later
   */
  onPause: (isEcho: boolean) => void = () => undefined;

  /** @param assure comes before each request for permits, which is not made when it rejects */
  constructor(settings: PacerSettings, assure?: () => Promise<void>) {
    this.#settings = settings;
    this.#isSetUp = settings.store.setUp === undefined;
    this.#assure = assure;
    const isUnsaid = (): boolean => this.#pause.unsaidMs(settings.runtime.now()) > 0;
    this.#teller = new PauseTeller(settings.runtime, isUnsaid, () => this.sayTerms());
  }

  get runtime(): Runtime {
    return this.#settings.runtime;
  }

  /** Deadline of every call, in milliseconds. */
  get timeoutMs(): number {
    return this.#settings.storeTimeoutMs;
  }

  /** When the pause ends that is known of, in local time; `-Infinity` where there is none. */
  get pausedUntilMs(): number {
    return this.#pause.untilMs;
  }

  /** What is left of the pause that is known of, in milliseconds. */
  get pausedForMs(): number {
    return this.#pause.leftMs(this.runtime.now());
  }

  /** Keeps a pause until this local time; {@link sayPause} or the next request says it to the ledger. */
  pauseUntil(untilMs: number): void {
    if (this.#pause.ask(untilMs)) this.onPause(false);
  }

  /** Says the pause to the ledger with a request that reserves nothing (P15), unless another one has said it. */
  sayPause(): void {
    this.#teller.tell();
  }

  /** Asks for permits; rejects with what went wrong. */
  async reserve(
    request: Pick<PermitRequest, "id" | "count" | "cost" | "maxReserved" | "queueMs">,
    signal?: AbortSignal,
  ): Promise<TimedReservation> {
    const { marginMs, permitTtlMs, storeTimeoutMs } = this.#settings;
    const { everyMs } = this.#settings.code;
    // The margin is due once for each permit, whatever it costs.
    const cost = marginMs === 0 ? request.cost : (request.cost * (everyMs - marginMs) + marginMs) / everyMs;
    const keepMs = permitTtlMs + 2 * storeTimeoutMs;
    const full = { ...request, ...this.#terms(), cost, keepMs };
    await this.#assure?.();
    if (!this.#isSetUp) await this.#setUp(signal);
    const timed = await this.#ask(full, signal);
    this.reserved += timed.reservation.granted;
    return timed;
  }

  /**
   * Says the terms to the ledger, which keeps them in force there (P10): with a request for a permit that costs next to
   * nothing.
   * @throws DtError `DT_PACE_MISMATCH`, and the codes of R16
   */
  async sayTerms(): Promise<void> {
    const { runtime } = this.#settings;
    if (!this.#isSetUp) await this.#setUp();
    const request = { id: randomId(runtime), count: 1, cost: NEXT_TO_NOTHING, maxReserved: 0, queueMs: 0, keepMs: 0 };
    await this.#ask({ ...request, ...this.#terms() });
  }

  /**
   * Takes a permit if one is free at this instant and known to be still alive here; rejects with the signal's reason or
   * what went wrong, and keeps nothing then.
   */
  async attempt(cost: number, signal?: AbortSignal): Promise<Attempt> {
    const { runtime, permitTtlMs } = this.#settings;
    if (signal?.aborted) throw signal.reason;
    const id = randomId(runtime);
    const sleep = new SleepWatch(runtime);
    try {
      const timed = await this.reserve({ id, count: 1, cost, maxReserved: 0, queueMs: 0 }, signal);
      const [instant] = heldInstants(id, timed, permitTtlMs);
      if (!instant) return { retryAfterMs: Math.max(timed.reservation.retryAfterMs, this.pausedForMs) };
      const nowMs = runtime.now();
      // The answer may be from before the machine was suspended.
      if (nowMs <= instant.expiresMs && !sleep.noticed()) return { id, lateMs: nowMs - instant.dueMs };
      this.release(id, 0);
      return { retryAfterMs: 0 };
    } catch (error) {
      if (mayHaveTakenEffect(error)) this.release(id, 0);
      throw signal?.aborted ? signal.reason : error;
    }
  }

  /** Gives instants back as well as can be: what the store does not learn of is wasted, never used twice. */
  release(id: string, keep: number): void {
    const { store, name } = this.#settings;
    const call = this.#deadline("release", (abort) => store.release(name, { id, keep }, abort)).catch(() => {
      this.unreleased += 1;
    });
    this.#pending.add(call);
    void call.then(() => this.#pending.delete(call));
  }

  /** Ends a set-up of the store under way; what waits for it fails. */
  abortSetUp(): void {
    this.#stopped.abort();
  }

  /** Resolves when every release under way has settled, and the word of a pause; no pause is said any more. */
  async settled(): Promise<void> {
    await this.#teller.stop();
    await this.released();
  }

  /** Resolves when every release under way has settled. */
  async released(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** Listens for instants given back; undefined where the store sends no hints or does not answer. */
  async onHint(listener: () => void): Promise<(() => void) | undefined> {
    const { store, name } = this.#settings;
    const onHint = store.onPermitHint?.bind(store);
    if (!onHint) return undefined;
    return this.#deadline("onHint", async (signal) => {
      const endHints = await onHint(name, listener, signal);
      // Too late: nobody else would end it.
      if (signal.aborted) endHints();
      return endHints;
    }).catch(() => undefined);
  }

  /** The limit of the code, and what has to be agreed on. */
  #terms(): Pick<PermitRequest, "everyMs" | "burst" | "stored" | "terms" | "formerTerms"> {
    const { code, stored, terms, hasTerms, formerTerms } = this.#settings;
    return {
      ...code,
      ...(stored && { stored }),
      ...(hasTerms && { terms, ...(formerTerms === undefined ? {} : { formerTerms }) }),
    };
  }

  /** The limit in force, by an answer of the store (P16). */
  #follow({ limit }: Reservation, { everyMs, burst }: PermitRequest): void {
    const settings = this.#settings;
    const from = { everyMs: settings.everyMs, burst: settings.burst };
    const to = limit ?? { everyMs, burst };
    if (to.everyMs === from.everyMs && to.burst === from.burst) return;
    // All parts of a pacer share its settings.
    Object.assign(settings, to);
    this.onLimit(from, to);
  }

  /** What the store needs once, before the first request; it has a deadline of its own. */
  async #setUp(signal?: AbortSignal): Promise<void> {
    try {
      const stopped = this.#stopped.signal;
      const abort = signal ? AbortSignal.any([signal, stopped]) : stopped;
      await this.#settings.store.setUp?.(abort);
      abort.throwIfAborted();
      this.#isSetUp = true;
    } catch (error) {
      if (!signal?.aborted && !this.#stopped.signal.aborted) this.#failed("reserve", error);
      throw error;
    }
  }

  async #ask(asked: PermitRequest, signal?: AbortSignal): Promise<TimedReservation> {
    const { store, name, runtime } = this.#settings;
    const sentMs = runtime.now();
    const pauseMs = this.#pause.unsaidMs(sentMs);
    const request = pauseMs > 0 ? { ...asked, pauseMs } : asked;
    const reserve = (abort: AbortSignal): Promise<Reservation> => store.reserve(name, request, abort);
    const answer = await this.#deadline("reserve", reserve, signal).catch((error: unknown) => {
      throw this.#named(error);
    });
    const reservation = checkReservation(answer, request);
    this.#follow(reservation, request);
    const timed = { reservation, sentMs, receivedMs: runtime.now() };
    if (this.#pause.hear(timed, pauseMs)) this.onPause((reservation.pausedForMs ?? 0) <= pauseMs + ECHO_MS);
    return { ...timed, notBeforeMs: this.#pause.notBeforeMs(reservation) };
  }

  /** A ledger says what is wrong with a key, and here it is known which. */
  #named(error: unknown): unknown {
    if (!isDtError(error, "DT_PACE_MISMATCH")) return error;
    return new DtError("DT_PACE_MISMATCH", `pacer ${describe(this.#settings.name)}: ${error.message}`, {
      cause: error,
    });
  }

  async #deadline<T>(
    operation: Operation,
    send: (signal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { runtime, name, storeTimeoutMs } = this.#settings;
    const what = `permit ${operation} of pacer ${describe(name)}`;
    try {
      const answer = await withDeadline(send, { runtime, timeoutMs: storeTimeoutMs, what, signal });
      this.lastError = undefined;
      return answer;
    } catch (error) {
      if (!signal?.aborted) this.#failed(operation, error);
      throw error;
    }
  }

  #failed(operation: Operation, error: unknown): void {
    this.lastError = isDtError(error)
      ? error
      : new DtError("DT_STORE_UNAVAILABLE", `permit ${operation} failed: ${String(error)}`, {
          effect: "unknown",
          cause: error,
        });
    this.onError(operation, this.lastError);
  }
}

/** False only for an error that says it had no effect. */
export function mayHaveTakenEffect(error: unknown): boolean {
  return !isDtError(error) || error.effect === "unknown";
}

/**
 * Refuses an answer that the contract does not allow, before anybody waits by it: a ledger is somebody else's code.
 * @throws DtError `DT_STORE_REPLY`
 */
function checkReservation(reservation: Reservation, request: PermitRequest): Reservation {
  const fault = faultOf(reservation, request);
  if (fault === undefined) return reservation;
  throw new DtError(
    "DT_STORE_REPLY",
    `the store answered a request for permits with ${fault}; check the adapter with ${packageName("conformance")}`,
    { effect: "unknown" },
  );
}

function faultOf(reservation: Reservation, { count }: PermitRequest): string | undefined {
  if (typeof reservation !== "object" || reservation === null) return `${String(reservation)} instead of a Reservation`;
  const { granted, firstMs, stepMs, earliestMs, retryAfterMs, storeTimeMs, pausedForMs = 0, limit } = reservation;
  for (const [name, value] of Object.entries({ firstMs, stepMs, earliestMs, retryAfterMs, storeTimeMs, pausedForMs }))
    if (typeof value !== "number" || !Number.isFinite(value)) return `${name} ${String(value)}, which is not a number`;
  if (!Number.isSafeInteger(granted) || granted < 0 || granted > count) return `granted ${String(granted)} of ${count}`;
  if (stepMs < 0) return `stepMs ${stepMs}, which goes back`;
  if (retryAfterMs < 0) return `retryAfterMs ${retryAfterMs}, which is past`;
  if (pausedForMs < 0) return `pausedForMs ${pausedForMs}, which is past`;
  if (limit !== undefined && !isLimit(limit)) return `the limit ${JSON.stringify(limit)}`;
  return undefined;
}

function isLimit(limit: PermitLimit): boolean {
  if (typeof limit !== "object" || limit === null) return false;
  return limit.everyMs > 0 && Number.isFinite(limit.everyMs) && Number.isSafeInteger(limit.burst) && limit.burst >= 1;
}
