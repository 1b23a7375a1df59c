import { join } from "../consensus/join.ts";
import { Membership } from "../consensus/membership.ts";
import { DtError, isDtError } from "../errors/dt-error.ts";
import { checkDuration, checkKeys, checkSignal } from "../options/check.ts";
import { describe } from "../options/duration.ts";
import { Allowance } from "./allowance.ts";
import { type BatchOptions, batches } from "./batches.ts";
import { checkTokens } from "./check-tokens.ts";
import { Events, type Listener, type ThrottleEvent } from "./events.ts";
import { type Grant, Grants } from "./grants.ts";
import type { AcquireOptions, ThrottleOptions, ThrottleUpdate } from "./options.ts";
import { resolvedWith } from "./resolved.ts";
import { checkLimit, checkOptions, limitOf, type ThrottleSettings } from "./settings.ts";
import type { ThrottleStatus } from "./status.ts";
import { WaitingLine } from "./waiting-line.ts";
import { type AnyMethod, type Wrap, wrapWith } from "./wrap.ts";

/** For so many times `storeTimeout` a start tries again while the store answers too late. */
const PATIENT_STARTS = 16;

const ACQUIRE_OPTIONS: ReadonlySet<string> = new Set<keyof AcquireOptions>(["timeout", "signal"]);
const LIMIT_OPTIONS: ReadonlySet<string> = new Set<keyof ThrottleUpdate>(["max", "min", "rampUp"]);

type State = "idle" | "starting" | "running" | "stopping" | "stopped";

/**
 * A processor's part of a limit that a fleet shares. Grants are local: no I/O, no promise, no allocation; a background sync with the store
 * keeps the share right. Made by {@link createThrottle}.
 */
export class Throttle {
  readonly group: string;
  readonly processorId: string;
  readonly #settings: ThrottleSettings;
  readonly #now: () => number;
  readonly #events: Events;
  readonly #membership: Membership;
  readonly #allowance: Allowance;
  readonly #line: WaitingLine;
  readonly #grants: Grants;
  #state: State = "idle";
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #max: number;
  #limit: ThrottleUpdate;
  #observesGrants = false;

  /** Use {@link createThrottle}. */
  constructor(settings: ThrottleSettings) {
    const { group, processorId, incarnation, runtime, onStoreLost } = settings;
    this.#settings = settings;
    this.group = group;
    this.processorId = processorId;
    this.#now = () => runtime.now();
    this.#max = settings.max;
    this.#limit = settings.limit;
    this.#events = new Events(() => {
      this.#observesGrants = this.#events.has("grant");
    });
    this.#membership = new Membership(
      { ...settings, member: { id: processorId, incarnation }, policy: onStoreLost.type },
      {
        events: this.#events,
        declare: () => ({ max: this.#max, level: this.#allowance.declaredLevel }),
        changed: () => this.#shareChanged(),
        begunMs: () => this.#allowance.begunMs,
        resume: (level) => this.#allowance.resume(level),
      },
    );
    this.#allowance = new Allowance(settings, this.#membership, this.#events);
    this.#line = new WaitingLine(settings, this.#allowance, this.#membership, this.#events);
    this.#grants = new Grants(runtime, this.#allowance, this.#line, this.#events);
  }

  /**
   * Joins the group. Resolves once the store has answered; the first tokens come with the next epoch. May be called again after it failed.
   * While the store answers too late, as it may when a large fleet starts at once, it tries again for up to sixteen times `storeTimeout` (20 s).
   * With `onStoreLost: floor` it resolves also when the store does not answer, and goes on trying.
   * Rejects with a DtError: `DT_STORE_UNAVAILABLE`, `DT_STORE_TIMEOUT`, `DT_STORE_CLOSED`, `DT_STORE_UNSUITABLE`, `DT_STORE_REPLY`,
   * `DT_INTERVAL_MISMATCH`, `DT_STOPPED`.
   */
  start(): Promise<void> {
    if (this.#state === "stopping" || this.#state === "stopped") return Promise.reject(this.#stoppedError());
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    this.#state = "starting";
    try {
      const { runtime, storeTimeoutMs, onStoreLost } = this.#settings;
      await join(this.#membership, runtime, onStoreLost.type === "floor" ? 0 : PATIENT_STARTS * storeTimeoutMs);
    } catch (error) {
      const outage = isDtError(error, "DT_STORE_UNAVAILABLE") || isDtError(error, "DT_STORE_TIMEOUT");
      if (!outage || this.#settings.onStoreLost.type !== "floor") {
        this.#membership.rest();
        this.#starting = undefined;
        if (this.#state === "starting") this.#state = "idle";
        this.#line.failAll(error);
        throw error;
      }
    }
    if (this.#state !== "starting") throw this.#stoppedError();
    this.#state = "running";
    this.#allowance.open = true;
    this.#line.serve();
  }

  /**
   * Grants up to `n` tokens of this processor's share, now, without waiting: local, synchronous, no I/O. Returns how many of the `n` are granted,
   * 0 to `n`; 0 also once stopped. While callers wait in `acquire` it grants nothing, so that they are served first.
   * @throws DtError `DT_INVALID_TOKENS`, `DT_NOT_STARTED`
   */
  tryAcquire(n = 1): number {
    const granted = this.#take(n);
    if (this.#observesGrants) this.#tell(this.#allowance.epoch, granted);
    return granted;
  }

  #take(n: number): number {
    if ((n | 0) !== n || n < 1) checkTokens(n);
    const allowance = this.#allowance;
    const nowMs = this.#now();
    if (nowMs >= allowance.untilMs) this.#refresh(nowMs);
    return this.#line.size > 0 ? 0 : allowance.budget.take(n, nowMs);
  }

  #tell(epoch: number, tokens: number): void {
    if (tokens > 0) this.#events.emit("grant", { epoch, tokens });
  }

  /**
   * Waits until at least one token can be granted, and grants up to `n` of what is there then. Callers are served in the order they came.
   * Resolves to how many of the `n` are granted: 1 to `n`, or 0 when the call's own `timeout` passed first.
   * Rejects with the signal's reason when `signal` aborts, and with a DtError:
   * `DT_INVALID_TOKENS`, `DT_INVALID_OPTION`, `DT_NOT_STARTED`, `DT_STOPPED`, `DT_QUEUE_FULL`, `DT_PROCESSOR_FENCED`, `DT_STORE_SLOW`,
   * `DT_ACQUIRE_TIMEOUT` (no `timeout` was given and the throttle's `acquireTimeout` passed), or, when the share is no longer valid and
   * `onStoreLost` grants nothing, the store's error (`DT_STORE_UNAVAILABLE`, `DT_STORE_TIMEOUT`, ...).
   */
  acquire(n = 1, options?: AcquireOptions): Promise<number> {
    // The common case stands outside the try block below: within, the same calls compile to slower code (77 ns an awaited grant instead of 70).
    if (options === undefined && this.#state === "running" && (n | 0) === n && n > 0) {
      const granted = this.tryAcquire(n);
      if (granted > 0) return resolvedWith(granted);
    }
    return this.#acquireWithCare(n, options, resolvedWith, asNumber);
  }

  /**
   * The same as {@link tryAcquire}, answered as a {@link Grant}: tokens that turn out not to be needed can be given back, and granted again while their epoch lasts.
   * @throws DtError `DT_INVALID_TOKENS`, `DT_NOT_STARTED`
   */
  tryAcquireGrant(n = 1): Grant {
    const grant = this.#grants.of(this.#take(n));
    // Listeners come after the grant has its epoch: one that looks at the status may begin the next.
    if (this.#observesGrants) this.#tell(grant.epoch, grant.tokens);
    return grant;
  }

  /** The same as {@link acquire}, answered as a {@link Grant}: see {@link tryAcquireGrant}. Rejects as `acquire` does. */
  acquireGrant(n = 1, options?: AcquireOptions): Promise<Grant> {
    const grant = (tokens: number): Grant => this.#grants.of(tokens);
    return this.#acquireWithCare(n, options, async (tokens) => grant(tokens), grant);
  }

  /** `atOnce` and `later` make the answer, of tokens that are granted at that instant. */
  #acquireWithCare<T>(
    n: number,
    options: AcquireOptions | undefined,
    atOnce: (tokens: number) => Promise<T>,
    later: (tokens: number) => T,
  ): Promise<T> {
    try {
      if (options !== undefined) checkKeys("options", options, ACQUIRE_OPTIONS);
      const timeoutMs = options?.timeout === undefined ? undefined : checkDuration("timeout", options.timeout, 0);
      const signal = checkSignal(options?.signal);
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (this.#state !== "running") this.#assertUsable();
      const granted = this.#take(n);
      if (granted > 0) {
        const { epoch } = this.#allowance;
        const answer = atOnce(granted);
        if (this.#observesGrants) this.#tell(epoch, granted);
        return answer;
      }
      if (this.#membership.standing === "fenced") throw this.#fencedError();
      return timeoutMs === 0 ? atOnce(0) : this.#line.join(n, timeoutMs, signal, later);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Says that `n` tokens were not used: they count as unused for the mode, and are not granted again. Accepts at most what this epoch granted and was not
   * deposited yet; returns how many. A number does not say which epoch it was granted in, so that granting it again would break the limit whenever it comes
   * late: take tokens with {@link tryAcquireGrant} or {@link acquireGrant} to give them to others.
   * @throws DtError `DT_INVALID_TOKENS`
   */
  deposit(n: number): number {
    if (n === 0) return 0;
    checkTokens(n);
    return this.#grants.countIdle(n);
  }

  /**
   * Turns a function into one that obeys the limit: each call waits for a token first. Also a standard decorator: `@throttle.wrap`.
   * The function returned rejects as {@link acquire} does.
   */
  readonly wrap: Wrap = <F extends AnyMethod>(fn: F) => wrapWith(this, fn);

  /**
   * Reads an iterable, async or not, in batches of at most what is granted; what was granted and not read is given back. A batch has 1 to
   * `options.size` items (default 100). Ends with the source; on early exit the source is closed.
   */
  batches<T>(source: AsyncIterable<T> | Iterable<T>, options?: BatchOptions): AsyncGenerator<T[], void, void> {
    return batches(this, this.#settings.runtime, source, options);
  }

  /**
   * Changes the limit and its ramp while running; `min` and `rampUp` stay as they are unless they are given. The level stays exactly where it is, within the new ramp, and goes on in steps of it; the group's capacity is the smallest `max` that a
   * live member declares, so a lower limit holds at once for this processor and soon for all, a higher one once everybody has it.
   * @throws DtError `DT_INVALID_OPTION`
   */
  update(limit: ThrottleUpdate): void {
    checkKeys("update", limit, LIMIT_OPTIONS);
    const whole = { ...this.#limit, ...limitOf(limit) };
    const { max, ramp } = checkLimit(whole, this.#settings.intervalMs);
    this.#limit = whole;
    this.#allowance.changeRamp(ramp);
    this.#max = max;
    if (this.#state === "running") this.#membership.syncSoon();
  }

  /**
   * Listens to an event; returns a function that ends it. Events cost nothing while nobody listens.
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   */
  on<E extends ThrottleEvent>(name: E, listener: Listener<E>): () => void {
    return this.#events.on(name, listener);
  }

  /** What is going on, as data; moves nothing. The level is what it would be if tokens were asked for now. */
  status(): ThrottleStatus {
    const allowance = this.#allowance;
    const membership = this.#membership;
    const { holding } = membership;
    const nowMs = this.#now();
    if (nowMs >= allowance.untilMs) allowance.refresh(nowMs, false);
    return {
      state: membership.standing === "fenced" ? "fenced" : this.#state,
      group: this.group,
      processorId: this.processorId,
      epoch: membership.clock.known ? allowance.epoch : undefined,
      max: this.#max,
      capacity: holding.capacity,
      level: allowance.level,
      share: allowance.budget.tokens,
      used: allowance.budget.used,
      available: this.#line.size > 0 ? 0 : allowance.budget.available(nowMs),
      waiting: this.#line.size,
      generation: holding.generation,
      poolSize: holding.poolSize,
      agreed: membership.agreed && allowance.valid(nowMs),
      held: holding.held,
      validForMs: Math.max(0, membership.validUntilMs - nowMs),
      lastError: membership.lastError,
    };
  }

  /**
   * Stops gracefully: grants nothing more, refuses those who wait (`DT_STOPPED`) and leaves the group, so that others take over the share at once.
   * Never rejects; when the store does not answer it removes this processor after the stale age. Idempotent. Does not close the store.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#state = "stopping";
    this.#allowance.open = false;
    this.#allowance.untilMs = 0;
    this.#line.failAll(this.#stoppedError());
    await this.#membership.leave();
    this.#state = "stopped";
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #refresh(nowMs: number): void {
    if (this.#state === "idle") this.#assertUsable();
    this.#allowance.refresh(nowMs, true);
  }

  /** The membership has news: look again at the next grant, now if somebody waits. */
  #shareChanged(): void {
    this.#allowance.untilMs = 0;
    if (this.#membership.standing === "fenced") this.#line.failAll(this.#fencedError());
    else if (this.#line.size > 0) this.#line.serve();
  }

  #assertUsable(): void {
    if (this.#state === "stopping" || this.#state === "stopped") throw this.#stoppedError();
    if (this.#state === "idle")
      throw new DtError("DT_NOT_STARTED", "the throttle has not joined its group; call and await start() first");
  }

  #stoppedError(): DtError {
    return new DtError("DT_STOPPED", `the throttle of group ${describe(this.group)} was stopped; create a new one`);
  }

  #fencedError(): DtError {
    return new DtError(
      "DT_PROCESSOR_FENCED",
      `processorId ${describe(this.processorId)} was registered by another process; give every process its own, or leave it out`,
    );
  }
}

/**
 * Creates a throttle: this process's part of a limit that the whole `group` shares. Call `start()` before the first grant and `stop()` at the end.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function createThrottle(options: ThrottleOptions): Throttle {
  return new Throttle(checkOptions(options));
}

function asNumber(tokens: number): number {
  return tokens;
}
