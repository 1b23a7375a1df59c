import type { DtError } from "../errors/dt-error.ts";
import type { Events } from "../internal/events.ts";
import type { Tally } from "../internal/tally.ts";
import type { AcquireSettings } from "../limiter/acquire-options.ts";
import { notInTime } from "./pacer-errors.ts";
import type { PacerEvents } from "./pacer-events.ts";
import type { PacerSettings } from "./pacer-options.ts";
import type { Permit } from "./permit.ts";
import { PermitClient } from "./permit-client.ts";
import { PermitQueue } from "./permit-queue.ts";
import { type AttemptSettings, isRefused, type PermitSource, type Refused } from "./permit-source.ts";

/** The permits of one store: callers that wait for theirs, and attempts at one that is free now. */
export class OwnPermits implements PermitSource<Permit> {
  readonly #settings: PacerSettings;
  readonly #client: PermitClient;
  readonly #queue: PermitQueue;
  readonly #events: Events<PacerEvents>;
  readonly #attempts = new Set<Promise<Permit | Refused>>();
  readonly #tally: Tally;
  #closed: { readonly error: unknown } | undefined;

  /** @param assure comes before each request for permits, which is not made when it rejects */
  constructor(settings: PacerSettings, events: Events<PacerEvents>, tally: Tally, assure?: () => Promise<void>) {
    this.#settings = settings;
    this.#tally = tally;
    this.#events = events;
    this.#client = new PermitClient(settings, assure);
    this.#client.onError = (operation, error) => {
      if (events.has("storeError")) events.emit("storeError", { operation, error });
    };
    this.#queue = new PermitQueue(settings, this.#client, events, tally);
    this.#client.onLimit = (from, to) => {
      if (events.has("limitChanged")) events.emit("limitChanged", { from, to });
    };
    this.#client.onPause = (isEcho) => {
      if (!this.#closed) this.#queue.pause();
      if (!isEcho && events.has("paused")) events.emit("paused", { forMs: this.pausedForMs });
    };
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Permits that the store granted so far, those that were given back among them. */
  get reserved(): number {
    return this.#client.reserved;
  }

  /** True where a call was made to wait, or refused, in the last 30 s, or is waiting now. */
  get isLimiting(): boolean {
    return this.#queue.isHeldUp || this.#tally.isLimiting(this.#settings.runtime.now());
  }

  get wasted(): number {
    return this.#queue.wasted;
  }

  get unreleased(): number {
    return this.#client.unreleased;
  }

  get lastError(): DtError | undefined {
    return this.#client.lastError;
  }

  get pausedForMs(): number {
    return this.#client.pausedForMs;
  }

  set onEmpty(listener: () => void) {
    this.#queue.onEmpty = listener;
  }

  async acquire(cost: number, how: AcquireSettings): Promise<Permit> {
    const { timeoutMs = this.#settings.acquireTimeoutMs } = how;
    if (how.timeoutMs === 0) {
      const answer = await this.attempt(cost, how);
      if (isRefused(answer)) throw this.#notInTime(cost, how, 0, answer.retryAfterMs);
      return answer;
    }
    if (timeoutMs !== undefined && timeoutMs < this.pausedForMs && this.#queue.isTold)
      throw this.#notInTime(cost, how, timeoutMs, this.pausedForMs);
    return this.#queue.join({ cost, ...how });
  }

  #notInTime(cost: number, { priority }: AcquireSettings, timeoutMs: number, retryAfterMs: number): DtError {
    this.#tally.decided("timedOut", 0, cost, priority);
    if (this.#events.has("timedOut")) this.#events.emit("timedOut", { cost, waitedMs: 0 });
    return notInTime(this.#settings, { timeoutMs, retryAfterMs, wasted: 0 });
  }

  async attempt(cost: number, { signal, priority }: AttemptSettings): Promise<Permit | Refused> {
    signal?.throwIfAborted();
    // The store would say so, too, except for an instant that is given back at this moment.
    if (this.#queue.waiting > 0) {
      if (this.#queue.isHeldUp) this.#tally.limited(this.#settings.runtime.now());
      return { retryAfterMs: this.#queue.leastWaitMs };
    }
    const sentMs = this.#settings.runtime.now();
    const attempt = this.#attempt(cost, signal);
    this.#attempts.add(attempt);
    try {
      return await attempt;
    } catch (error) {
      this.#tally.failed(error, signal, this.#settings.runtime.now() - sentMs, cost, priority);
      throw error;
    } finally {
      this.#attempts.delete(attempt);
    }
  }

  /** An answer that comes after the end gives no caller a permit. */
  async #attempt(cost: number, signal: AbortSignal | undefined): Promise<Permit | Refused> {
    const sentMs = this.#settings.runtime.now();
    const attempt = await this.#client.attempt(cost, signal);
    if (this.#closed) {
      if ("id" in attempt) this.#client.release(attempt.id, 0);
      throw this.#closed.error;
    }
    if (!("id" in attempt)) {
      // A permit whose answer came too late was free: it is worth asking again at once.
      if (attempt.retryAfterMs > 0) this.#tally.limited(this.#settings.runtime.now());
      return attempt;
    }
    const { lateMs } = attempt;
    this.#tally.granted += 1;
    if (this.#events.has("grant"))
      this.#events.emit("grant", { cost, lateMs, waitedMs: this.#settings.runtime.now() - sentMs });
    return { lateMs };
  }

  /** Goes on with another pace, which is in the settings. */
  renew(): void {
    if (!this.#closed) this.#queue.renew();
  }

  pauseUntil(untilMs: number): void {
    this.#client.pauseUntil(untilMs);
  }

  async close(error: unknown): Promise<void> {
    this.#closed = { error };
    this.#client.abortSetUp();
    await this.#queue.close(error);
    await Promise.allSettled(this.#attempts);
    await this.#client.settled();
  }
}
