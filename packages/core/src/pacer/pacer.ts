import { type Admitted, type BatchOptions, batches } from "../internal/batches.ts";
import { checkDuration, checkKeys, checkSignal, invalidOption } from "../internal/check.ts";
import { Drain, type DrainOptions } from "../internal/drain.ts";
import type { Duration } from "../internal/duration.ts";
import type { Events, Listener } from "../internal/events.ts";
import { orUndefined } from "../internal/or-undefined.ts";
import { markVersion } from "../internal/version.ts";
import type { WithoutTimeout } from "../internal/waiting-queue.ts";
import { type OnLimit, type PassOptions, type Wrap, wrapWith } from "../internal/wrap.ts";
import type { Permit } from "./cost-queue.ts";
import { limited, stoppedError } from "./pacer-errors.ts";
import { type PacerEvent, type PacerEvents, pacerEvents } from "./pacer-events.ts";
import { checkPacerOptions, type PacerOptions, type PacerSettings } from "./pacer-options.ts";
import type { PacerStatus } from "./pacer-status.ts";
import { type Attempt, PermitClient } from "./permit-client.ts";
import { PermitQueue } from "./permit-queue.ts";

/** Options of one `acquire`. */
export interface PermitOptions {
  /** What this call costs, in units of `every`; default 1. */
  readonly cost?: number | undefined;
  /**
   * After this time without a permit, or at once when its instant would come later, `acquire` resolves to undefined.
   */
  readonly timeout?: Duration | undefined;
  /** Aborting it rejects the call with the signal's reason; its instant goes to the next. */
  readonly signal?: AbortSignal | undefined;
}

const PERMIT_OPTIONS: ReadonlySet<string> = new Set<keyof PermitOptions>(["cost", "timeout", "signal"]);
const ATTEMPT_OPTIONS: ReadonlySet<string> = new Set<keyof PermitOptions>(["cost", "signal"]);

/**
 * Spaces calls: at most one permit every `every` for all processes with the same name, on the store's clock. Made by
 * {@link createPacer}.
 */
export class Pacer {
  static {
    markVersion(Pacer.prototype);
  }

  readonly name: string;
  readonly #settings: PacerSettings;
  readonly #client: PermitClient;
  readonly #queue: PermitQueue;
  readonly #events: Events<PacerEvents>;
  readonly #drain: Drain;
  /** Attempts under way. */
  readonly #attempts = new Set<Promise<Attempt>>();
  #state: PacerStatus["state"] = "running";
  #stopping: Promise<void> | undefined;

  /** Use {@link createPacer}. */
  constructor(settings: PacerSettings, client: PermitClient = new PermitClient(settings)) {
    this.#settings = settings;
    this.name = settings.name;
    this.#client = client;
    this.#events = pacerEvents(settings.name);
    this.#client.onError = (operation, error) => {
      if (this.#events.has("storeError")) this.#events.emit("storeError", { operation, error });
    };
    this.#queue = new PermitQueue(settings, this.#client, this.#events);
    this.#drain = new Drain(settings.runtime, () => this.#queue.waiting);
    this.#queue.onEmpty = () => this.#drain.look();
  }

  /** What all pacers of the name must agree on, as text: see the option `replaces`. */
  get terms(): string {
    return this.#settings.terms;
  }

  /** Callers waiting. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Permits wasted because their holder woke later than `permitTtl`, or because nobody came for them. */
  get wasted(): number {
    return this.#queue.wasted;
  }

  /**
   * Waits for a permit. Callers of one pacer are served in the order they came (those of one cost; where costs differ,
   * nearly so); between processes, in the order of reservation. Resolves to undefined when the call's own `timeout`
   * passes first. Rejects with the signal's reason, or with a DtError: `DT_INVALID_OPTION`, `DT_STOPPED`,
   * `DT_QUEUE_FULL`, `DT_TIMEOUT`, `DT_PACE_MISMATCH`, or the store's (`DT_STORE_UNAVAILABLE`,
   * `DT_STORE_TIMEOUT`, ...).
   */
  acquire(options?: WithoutTimeout<PermitOptions>): Promise<Permit>;
  acquire(options: PermitOptions): Promise<Permit | undefined>;
  async acquire(options: PermitOptions = {}): Promise<Permit | undefined> {
    checkKeys("options", options, PERMIT_OPTIONS);
    const signal = checkSignal(options.signal);
    const cost = checkCost(options.cost ?? 1, this.#settings.maxCost);
    const timeoutMs = options.timeout === undefined ? undefined : checkDuration("timeout", options.timeout, 0);
    if (signal?.aborted) throw signal.reason;
    this.#assertOpen();
    return orUndefined(this.#queue.join({ cost, timeoutMs, signal }), timeoutMs);
  }

  /**
   * Takes a permit if one is free at this instant, without waiting for one: true or false, after one round trip. One
   * whose answer took longer than `permitTtl` is given back. Rejects as {@link acquire} does.
   */
  async tryAcquire(options: Pick<PermitOptions, "cost" | "signal"> = {}): Promise<boolean> {
    checkKeys("options", options, ATTEMPT_OPTIONS);
    return "id" in (await this.#attempt(options));
  }

  /**
   * Turns a function into one that keeps the distance: each call waits for its permit first, of `cost` units. Also a
   * standard decorator: `@pacer.wrap`, `@pacer.wrap({ onLimit: "skip" })`. The function returned settles as
   * {@link acquire} does while it waits; with `onLimit: "skip"` a call without a free permit resolves to undefined at
   * once, with `"throw"` it rejects with `DT_LIMITED`, whose `retryAfterMs` says when a permit is due.
   * @throws DtError `DT_INVALID_OPTION`
   */
  readonly wrap: Wrap<OnLimit> = wrapWith({
    limits: ["wait", "skip", "throw"],
    checkCost: (cost) => checkCost(cost, this.#settings.maxCost),
    begin: () => this.#drain.begin(),
    pass: (cost, wait) => this.#pass(cost, wait),
  });

  async #pass(cost: number, { timeout, signal, onLimit }: PassOptions): Promise<boolean> {
    if (onLimit === "wait") return (await this.acquire({ cost, timeout, signal })) !== undefined;
    const attempt = await this.#attempt({ cost, signal });
    if ("id" in attempt) return true;
    if (onLimit === "skip") return false;
    throw limited(attempt.retryAfterMs);
  }

  /**
   * Reads an iterable, async or not, in batches of 1 to `options.size` items (default 100). A batch waits for a permit
   * that costs as much as it has items, so it has at most `maxCost` of them. Ends with the source; on early exit the
   * source is closed.
   */
  batches<T>(source: AsyncIterable<T> | Iterable<T>, options?: BatchOptions): AsyncGenerator<T[], void, void> {
    const { maxCost, runtime } = this.#settings;
    const admit = async (size: number, signal: AbortSignal | undefined): Promise<Admitted> => ({
      size: Math.min(size, Math.max(1, Math.floor(maxCost))),
      goesOut: async (cost) => void (await this.acquire({ cost, signal })),
    });
    return batches(admit, runtime, source, options);
  }

  /**
   * Listens to an event; returns a function that ends it. Events cost nothing while nobody listens.
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   */
  on<E extends PacerEvent>(name: E, listener: Listener<PacerEvents[E]>): () => void {
    return this.#events.on(name, listener);
  }

  /** What is going on, as data. */
  status(): PacerStatus {
    const { waiting, granted, wasted } = this.#queue;
    const { lastError } = this.#client;
    return { state: this.#state, name: this.name, terms: this.terms, waiting, granted, wasted, lastError };
  }

  /**
   * Ends in order: refuses new callers (`DT_STOPPED`), serves those who wait, lets wrapped calls that have begun
   * finish, and then stops as {@link stop} does, after `timeout` at the latest. Resolves to true when all were served
   * and finished and the store took back what was not used. Resolves to false when time was up, `stop` was called
   * meanwhile, or the store did not take it back: other processes then wait for instants that no caller uses. May be
   * called again: the first call counts. Rejects with a DtError `DT_INVALID_OPTION`.
   */
  drain(options: DrainOptions = {}): Promise<boolean> {
    let unreleased = 0;
    return this.#drain.end(options, {
      refuse: () => {
        unreleased = this.#client.unreleased;
        if (this.#state === "running") this.#state = "draining";
      },
      isDraining: () => this.#state === "draining",
      stop: () => this.stop(),
      gaveBack: () => this.#client.unreleased === unreleased,
    });
  }

  /**
   * Refuses those who wait (`DT_STOPPED`), gives their instants back, and ends: when the calls of the store have been
   * answered, which is by two `storeTimeout`s. Never rejects. Idempotent. Does not close the store.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#state = "stopping";
    this.#client.abortSetUp();
    await this.#queue.close(stoppedError(this.name, "was stopped"));
    await Promise.allSettled(this.#attempts);
    await this.#client.settled();
    this.#state = "stopped";
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #attempt({ cost = 1, signal }: Pick<PermitOptions, "cost" | "signal">): Promise<Attempt> {
    checkSignal(signal);
    checkCost(cost, this.#settings.maxCost);
    this.#assertOpen();
    const attempt = this.#answered(cost, signal);
    this.#attempts.add(attempt);
    try {
      return await attempt;
    } finally {
      this.#attempts.delete(attempt);
    }
  }

  /** An answer that comes after `stop` gives nobody a permit. */
  async #answered(cost: number, signal: AbortSignal | undefined): Promise<Attempt> {
    const attempt = await this.#client.attempt(cost, signal);
    if (this.#state === "running" || this.#state === "draining") return attempt;
    if ("id" in attempt) this.#client.release(attempt.id, 0);
    throw stoppedError(this.name, "was stopped");
  }

  #assertOpen(): void {
    if (this.#state === "running") return;
    throw stoppedError(this.name, this.#state === "draining" ? "is being drained" : "was stopped");
  }
}

/**
 * Creates a pacer: at most one permit every `every` (or `rate` a second) for all processes with the same `name` on the
 * same store.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function createPacer(options: PacerOptions): Pacer {
  return new Pacer(checkPacerOptions(options));
}

/**
 * What a call costs, in units of `every`: any number > 0, at most the pacer's `maxCost`.
 * @throws DtError `DT_INVALID_OPTION`
 */
function checkCost(cost: number, maxCost: number): number {
  if (typeof cost === "number" && cost > 0 && cost <= maxCost) return cost;
  throw invalidOption(
    "cost",
    cost,
    `give a number of units > 0 and at most maxCost, which is ${maxCost}; raise that for a call that may block the others for longer`,
  );
}
