import { DtError } from "../errors/dt-error.ts";
import { checkDuration, checkKeys, checkSignal } from "../kit/check.ts";
import { type Duration, describe } from "../kit/duration.ts";
import { whenAborted } from "../kit/when-aborted.ts";
import { checkCost } from "./check-cost.ts";
import { type Pace, paceWith } from "./pace.ts";
import { checkPacerOptions, type PacerOptions, type PacerSettings } from "./pacer-options.ts";
import { type Attempt, PermitClient } from "./permit-client.ts";
import type { Caller } from "./permit-lane.ts";
import { PermitLine } from "./permit-line.ts";

/** Options of one `acquire`. */
export interface PermitOptions {
  /** What this call costs, in units of `every`; default 1. */
  readonly cost?: number | undefined;
  /** After this time without a permit, or at once when its instant would come later, `acquire` resolves to undefined. */
  readonly timeout?: Duration | undefined;
  /** Aborting it rejects the call with the signal's reason; its instant goes to the next. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of an `acquire` that does not resolve without a permit. */
export type WithoutTimeout = PermitOptions & { readonly timeout?: undefined };

const PERMIT_OPTIONS: ReadonlySet<string> = new Set<keyof PermitOptions>(["cost", "timeout", "signal"]);
const ATTEMPT_OPTIONS: ReadonlySet<string> = new Set<keyof PermitOptions>(["cost", "signal"]);

/** A permit whose instant has come. */
export interface Permit {
  /** How long after its instant the caller was woken, in milliseconds; at most `permitTtl`. */
  readonly lateMs: number;
}

/** Spaces calls: at most one permit every `every` for all processes with the same key, on the store's clock. Made by {@link createPacer}. */
export class Pacer {
  readonly key: string;
  readonly #settings: PacerSettings;
  readonly #client: PermitClient;
  readonly #line: PermitLine;
  #closing: Promise<void> | undefined;

  /** Use {@link createPacer}. */
  constructor(settings: PacerSettings, client = new PermitClient(settings)) {
    this.#settings = settings;
    this.key = settings.key;
    this.#client = client;
    this.#line = new PermitLine(settings, this.#client);
  }

  /** What all pacers of the key must agree on, as text: see the option `replaces`. */
  get terms(): string {
    return this.#settings.terms;
  }

  /** Callers waiting. */
  get waiting(): number {
    return this.#line.waiting;
  }

  /** Permits wasted because their holder woke later than `permitTtl`, or because nobody came for them. */
  get wasted(): number {
    return this.#line.wasted;
  }

  /**
   * Waits for a permit. Callers of one pacer are served in the order they came (those of one cost; where costs differ, nearly so); between processes, in the
   * order of reservation.
   * Resolves to undefined when the call's own `timeout` passes first. Rejects with the signal's reason, or with a DtError: `DT_INVALID_OPTION`,
   * `DT_STOPPED`, `DT_QUEUE_FULL`, `DT_ACQUIRE_TIMEOUT`, `DT_PACE_MISMATCH`, or the store's (`DT_STORE_UNAVAILABLE`, `DT_STORE_TIMEOUT`, ...).
   */
  acquire(options?: WithoutTimeout): Promise<Permit>;
  acquire(options: PermitOptions): Promise<Permit | undefined>;
  async acquire(options: PermitOptions = {}): Promise<Permit | undefined> {
    const { runtime, maxWaiters, acquireTimeoutMs, maxCost } = this.#settings;
    checkKeys("options", options, PERMIT_OPTIONS);
    const signal = checkSignal(options.signal);
    const cost = checkCost(options.cost ?? 1, maxCost);
    const ownTimeoutMs = options.timeout === undefined ? undefined : checkDuration("timeout", options.timeout, 0);
    if (signal?.aborted) throw signal.reason;
    this.#assertOpen();
    if (this.#line.waiting >= maxWaiters)
      throw new DtError(
        "DT_QUEUE_FULL",
        `maxWaiters is ${maxWaiters} and as many callers wait already; ask for less at once, or raise it`,
      );
    const timeoutMs = ownTimeoutMs ?? acquireTimeoutMs;
    const wastedBefore = this.#line.wasted;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        timer.cancel();
        stopListening?.();
      };
      const fail = (error: unknown): void => {
        settle();
        reject(error);
      };
      const grant = (lateMs: number | undefined): void => {
        settle();
        if (lateMs !== undefined) resolve({ lateMs });
        else if (ownTimeoutMs !== undefined) resolve(undefined);
        else reject(this.#acquireTimeout(this.#line.wasted - wastedBefore));
      };
      const caller: Caller = { cost, deadlineMs: runtime.now() + timeoutMs, grant, fail };
      const onAbort = (): void => {
        this.#line.leave(caller);
        fail((signal as AbortSignal).reason);
      };
      const onTimeout = (): void => {
        this.#line.leave(caller);
        grant(undefined);
      };
      const timer = runtime.setTimer(onTimeout, timeoutMs);
      const stopListening = signal && whenAborted(signal, onAbort);
      this.#line.enter(caller);
    });
  }

  /**
   * Takes a permit if one is free at this instant, without waiting for one: true or false, after one round trip. One whose answer took longer than `permitTtl` is
   * given back.
   * Rejects as {@link acquire} does.
   */
  async tryAcquire(options: Pick<PermitOptions, "cost" | "signal"> = {}): Promise<boolean> {
    checkKeys("options", options, ATTEMPT_OPTIONS);
    return "id" in (await this.#attempt(options));
  }

  /**
   * Turns a function into one that keeps the distance; also a standard decorator: `@pacer.throttle`, `@pacer.throttle({ onLimit: "skip" })`.
   * With `onLimit: "wait"` (default) each call waits for its permit; with `"skip"` a call without a free permit returns undefined;
   * with `"throw"` it rejects with `DT_LIMITED`, whose `retryAfterMs` says when a permit is due.
   */
  readonly throttle: Pace = paceWith({
    checkCost: (cost) => checkCost(cost, this.#settings.maxCost),
    acquire: async (cost) => {
      await this.acquire({ cost });
    },
    attempt: async (cost) => {
      const attempt = await this.#attempt({ cost });
      return "id" in attempt ? undefined : attempt.retryAfterMs;
    },
  });

  /**
   * Refuses those who wait (`DT_STOPPED`), gives their instants back, and ends: when the calls of the store have been answered, which is by two `storeTimeout`s.
   * Idempotent. Does not close the store.
   */
  close(): Promise<void> {
    this.#closing ??= this.#line.close(this.#closedError()).then(() => this.#client.settled());
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #attempt({ cost = 1, signal }: Pick<PermitOptions, "cost" | "signal">): Promise<Attempt> {
    checkSignal(signal);
    checkCost(cost, this.#settings.maxCost);
    this.#assertOpen();
    return this.#client.attempt(cost, signal);
  }

  #assertOpen(): void {
    if (this.#closing) throw this.#closedError();
  }

  #closedError(): DtError {
    return new DtError("DT_STOPPED", `the pacer of key ${describe(this.key)} was closed; create a new one`);
  }

  #acquireTimeout(wasted: number): DtError {
    const { acquireTimeoutMs, permitTtlMs } = this.#settings;
    const late =
      wasted > 0 ? `; meanwhile ${wasted} came later than permitTtl (${permitTtlMs} ms) or to nobody: raise it` : "";
    return new DtError(
      "DT_ACQUIRE_TIMEOUT",
      `no permit of key ${describe(this.key)} within acquireTimeout (${acquireTimeoutMs} ms); pass { timeout } to be answered undefined instead, or raise the rate${late}`,
    );
  }
}

/**
 * Creates a pacer: at most one permit every `every` (or `rate` a second) for all processes with the same `key` on the same store.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function createPacer(options: PacerOptions): Pacer {
  return new Pacer(checkPacerOptions(options));
}
