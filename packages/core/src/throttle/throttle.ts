import { Membership } from "../consensus/membership.ts";
import { DemandTracker } from "../demand/demand-tracker.ts";
import { type Admitted, type BatchOptions, batches } from "../internal/batches.ts";
import type { DrainOptions } from "../internal/drain.ts";
import type { Events, Listener, Topic } from "../internal/events.ts";
import { markVersion } from "../internal/version.ts";
import type { WithoutTimeout } from "../internal/waiting-queue.ts";
import { type PassOptions, type Wrap, wrapWith } from "../internal/wrap.ts";
import { Allowance } from "./allowance.ts";
import { BlockedWatch } from "./blocked-watch.ts";
import { checkAcquire, checkCallCost, checkDeposit, checkFixedCost, checkTokens } from "./check-tokens.ts";
import { fencedError } from "./errors.ts";
import { type ThrottleEvent, type ThrottleEvents, throttleEvents } from "./events.ts";
import { type Grant, Grants } from "./grants.ts";
import { Lifecycle } from "./lifecycle.ts";
import { checkCap, checkUpdate } from "./limit.ts";
import type { AcquireOptions, ThrottleOptions, ThrottleUpdate } from "./options.ts";
import { asNumber, resolvedWith } from "./resolved.ts";
import { checkOptions, type ThrottleSettings } from "./settings.ts";
import type { StartOptions } from "./start-options.ts";
import type { ThrottleStatus } from "./status.ts";
import { statusAt } from "./status-at.ts";
import { TokenQueue, type TokenWait } from "./token-queue.ts";

/**
 * A member's part of a limit that a fleet shares. Grants are local: no I/O, no promise, no allocation; a background
 * sync with the store keeps the share right. Made by {@link createThrottle}.
 */
export class Throttle {
  static {
    markVersion(Throttle.prototype);
  }

  readonly name: string;
  readonly memberId: string;
  readonly #settings: ThrottleSettings;
  readonly #now: () => number;
  readonly #events: Events<ThrottleEvents>;
  readonly #granted: Topic<ThrottleEvents["grant"]>;
  readonly #membership: Membership;
  readonly #allowance: Allowance;
  readonly #demand: DemandTracker | undefined;
  readonly #queue: TokenQueue;
  readonly #watch: BlockedWatch;
  readonly #grants: Grants;
  readonly #life: Lifecycle;
  /** Its part in the group that this one replaces. */
  readonly #replaced: Throttle | undefined;
  /** The status is read now and then. */
  #asked = false;

  /** Use {@link createThrottle}. */
  constructor(settings: ThrottleSettings) {
    const { name, memberId, incarnation, runtime, onStoreLost } = settings;
    this.#settings = settings;
    this.name = name;
    this.memberId = memberId;
    this.#now = () => runtime.now();
    this.#events = throttleEvents(name, memberId);
    this.#granted = this.#events.topic("grant");
    this.#demand = settings.shares === "demand" ? this.#tracker() : undefined;
    this.#membership = new Membership(
      { ...settings, group: name, member: { id: memberId, incarnation }, policy: onStoreLost.type },
      {
        events: this.#events,
        demand: this.#demand,
        declare: () => ({ max: this.#allowance.limit.max, level: this.#allowance.declaredLevel }),
        use: () => this.#allowance.use,
        activity: () => this.#queue.activity,
        spent: (use, tokens) => this.#allowance.discharge(use, tokens),
        changed: () => this.#shareChanged(),
        asksWhy: () => this.#asked || this.#queue.size > 0 || this.#watch.observed,
        lowered: () => {
          this.#allowance.untilMs = 0;
        },
        begunMs: () => this.#allowance.begunMs,
        resume: (level) => this.#allowance.resume(level),
      },
    );
    this.#replaced = settings.replaced && new Throttle(settings.replaced);
    this.#allowance = new Allowance(settings, this.#membership, this.#events, this.#replaced);
    this.#watch = new BlockedWatch(this.#events, () => ({
      settings,
      state: this.#life.state,
      membership: this.#membership,
      allowance: this.#allowance,
    }));
    this.#queue = new TokenQueue(settings, this.#allowance, this.#membership, this.#events, this.#watch, this.#demand);
    this.#grants = new Grants(runtime, this.#allowance, this.#queue, this.#events);
    this.#life = new Lifecycle(settings, this.#membership, this.#allowance, this.#queue);
  }

  /**
   * Joins the group. Resolves once the store has answered; the first tokens come as soon as the others have given some
   * up that they have not used in this epoch, or with the next one. May be called again after it failed; while it is
   * under way, further calls wait for the same start.
   *
   * While the store does not answer, or members with another `interval` are there, it tries again for `timeout`, 20 s
   * by default; what no waiting mends ends it at once, as do `stop()` and the `signal`. With `onStoreLost: floor` it
   * resolves also when the store does not answer, and goes on trying. Rejects with the signal's reason, and with a
   * DtError: `DT_STORE_UNAVAILABLE`, `DT_STORE_TIMEOUT`, `DT_INTERVAL_MISMATCH` (the last cause, and how long it
   * tried), `DT_STORE_CLOSED`, `DT_STORE_UNSUITABLE`, `DT_STORE_DATA`, `DT_STORE_REPLY`, `DT_INVALID_OPTION`,
   * `DT_STOPPED`.
   * @example await throttle.start({ timeout: "1m", signal: AbortSignal.timeout(45_000) })
   */
  start(options: StartOptions = {}): Promise<void> {
    return this.#replaced === undefined ? this.#life.start(options) : this.#startBoth(this.#replaced, options);
  }

  async #startBoth(replaced: Throttle, options: StartOptions): Promise<void> {
    try {
      await replaced.start(options);
      await this.#life.start(options);
    } catch (error) {
      if (options.signal?.aborted) await this.stop();
      throw error;
    }
  }

  /**
   * Grants up to `n` tokens of this member's share, now, without waiting: local, synchronous, no I/O. Returns how
   * many of the `n` are granted, 0 to `n`; 0 also once stopped. While callers wait in `acquire` it grants nothing, so
   * that they are served first.
   * @throws DtError `DT_INVALID_COST`, `DT_NOT_STARTED`
   */
  tryAcquire(n = 1): number {
    // The type first: `|` throws at a bigint.
    if (typeof n !== "number" || (n | 0) !== n || n < 1) checkTokens(n);
    const granted = this.#take(n);
    if (this.#granted.observed) this.#tell(this.#allowance.epoch, granted);
    return granted;
  }

  /** The one way to tokens, of a number that was checked. `needs` of them count as asked for. */
  #take(n: number, needs: number = n): number {
    const allowance = this.#allowance;
    const nowMs = this.#now();
    if (nowMs >= allowance.untilMs) this.#refresh(nowMs);
    const granted = this.#queue.size > 0 ? 0 : allowance.allotment.take(n, nowMs);
    if (this.#demand !== undefined) this.#demand.asked(needs, granted, nowMs);
    return granted;
  }

  #tell(epoch: number, tokens: number): void {
    if (tokens > 0) this.#granted.emit({ epoch, tokens, waitedMs: 0 });
  }

  /**
   * Waits until at least one token can be granted, and grants up to `n` of what is there then. Callers are served in
   * the order they came. Resolves to how many of the `n` are granted: 1 to `n`; or to undefined when the call's own
   * `timeout` passed first. Rejects with the signal's reason when `signal` aborts, and with a DtError:
   * `DT_INVALID_COST`, `DT_INVALID_OPTION`, `DT_NOT_STARTED`, `DT_STOPPED`, `DT_QUEUE_FULL`, `DT_MEMBER_FENCED`,
   * `DT_STORE_SLOW`, `DT_TIMEOUT` (no `timeout` was given and the throttle's `acquireTimeout` passed), or, when
   * the share is no longer valid and `onStoreLost` grants nothing, the store's error (`DT_STORE_UNAVAILABLE`,
   * `DT_STORE_TIMEOUT`, ...).
   */
  acquire(n?: number, options?: WithoutTimeout<AcquireOptions>): Promise<number>;
  acquire(n: number | undefined, options: AcquireOptions): Promise<number | undefined>;
  acquire(n = 1, options?: AcquireOptions): Promise<number | undefined> {
    // The common case stands outside the try block below: within, the same calls compile to slower code (77 ns an
    // awaited grant instead of 70). It does not call `tryAcquire`, so that all of it fits into the caller's compiled
    // code.
    if (options === undefined && this.#life.state === "running" && typeof n === "number" && (n | 0) === n && n > 0) {
      const granted = this.#take(n);
      if (this.#granted.observed) this.#tell(this.#allowance.epoch, granted);
      return granted > 0
        ? resolvedWith(granted)
        : this.#wait({ cost: n, timeoutMs: undefined, signal: undefined, answer: asNumber });
    }
    return this.#acquireWithCare(n, options, resolvedWith, asNumber);
  }

  /**
   * The same as {@link tryAcquire}, answered as a {@link Grant}: tokens that turn out not to be needed can be given
   * back, and granted again while their epoch lasts.
   * @throws DtError `DT_INVALID_COST`, `DT_NOT_STARTED`
   */
  tryAcquireGrant(n = 1): Grant {
    checkTokens(n);
    const grant = this.#grants.of(this.#take(n));
    // Listeners come after the grant has its epoch: one that looks at the status may begin the next.
    if (this.#granted.observed) this.#tell(grant.epoch, grant.tokens);
    return grant;
  }

  /**
   * The same as {@link acquire}, answered as a {@link Grant}: see {@link tryAcquireGrant}. Rejects as `acquire` does.
   */
  acquireGrant(n?: number, options?: WithoutTimeout<AcquireOptions>): Promise<Grant>;
  acquireGrant(n: number | undefined, options: AcquireOptions): Promise<Grant | undefined>;
  acquireGrant(n = 1, options?: AcquireOptions): Promise<Grant | undefined> {
    const grant = (tokens: number): Grant => this.#grants.of(tokens);
    return this.#acquireWithCare(n, options, async (tokens) => grant(tokens), grant);
  }

  /**
   * `atOnce` and `later` make the answer, of tokens that are granted at that instant. With `part` it waits for all `n`,
   * and tells of each part that is granted. `needs` of the `n` count as asked for, all unless it is given.
   */
  #acquireWithCare<T>(
    n: number,
    options: AcquireOptions | undefined,
    atOnce: (tokens: number) => Promise<T>,
    later: (tokens: number) => T,
    { part, needs }: Pick<TokenWait<T>, "part" | "needs"> = {},
  ): Promise<T | undefined> {
    try {
      const { timeoutMs, signal } = checkAcquire(options);
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (this.#life.state !== "running") this.#life.assertUsable();
      checkTokens(n);
      const granted = this.#take(n, needs);
      if (granted > 0) {
        const { epoch } = this.#allowance;
        part?.(granted);
        const answer = part && granted < n ? undefined : atOnce(granted);
        if (this.#granted.observed) this.#tell(epoch, granted);
        if (answer) return answer;
      }
      return this.#wait({ cost: n - granted, timeoutMs, signal, answer: later, part, needs });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Nothing was there at once. What was asked for is not asked for again: it would count twice as demand. */
  #wait<T>(wait: TokenWait<T>): Promise<T | undefined> {
    try {
      // A listener that was told of a share or a grant may have aborted or stopped.
      if (wait.signal?.aborted) return Promise.reject(wait.signal.reason);
      if (this.#life.state !== "running") this.#life.assertUsable();
      if (this.#membership.standing === "fenced") throw fencedError(this.memberId);
      return wait.timeoutMs === 0 ? Promise.resolve(undefined) : this.#queue.join(wait);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Waits for all tokens of a wrapped call; false when its own time is up. What was collected for one that is given up
   * goes back, as far as its epoch lasts.
   */
  async #pass(cost: number, { timeout, signal }: PassOptions): Promise<boolean> {
    checkCallCost(cost, this.#allowance.limit.max);
    const parts: Grant[] = [];
    const part = (tokens: number): void => void parts.push(this.#grants.of(tokens));
    let passed = false;
    try {
      passed = (await this.#acquireWithCare(cost, { timeout, signal }, resolvedWith, asNumber, { part })) !== undefined;
      return passed;
    } finally {
      if (!passed) for (const granted of parts) granted.deposit();
    }
  }

  /**
   * Says that `n` tokens were not used: they count as unused for the mode, and are not granted again. Accepts at most
   * what this epoch granted and was not deposited yet; returns how many. A number does not say which epoch it was
   * granted in, so that granting it again would break the limit whenever it comes late: take tokens with
   * {@link tryAcquireGrant} or {@link acquireGrant} to give them to others.
   * @throws DtError `DT_INVALID_COST`
   */
  deposit(n: number): number {
    checkDeposit(n);
    return n === 0 ? 0 : this.#grants.countIdle(n);
  }

  /**
   * Turns a function into one that obeys the limit: each call waits for its tokens first, one unless `cost` says
   * otherwise. Also a standard decorator: `@throttle.wrap`, or `@throttle.wrap({ cost, timeout, signal })`. The
   * function returned settles as {@link acquire} does while it waits: it resolves to undefined when its own `timeout`
   * has passed, and rejects with the same errors; the function wrapped is then not called.
   * @throws DtError `DT_INVALID_OPTION`
   */
  readonly wrap: Wrap = wrapWith({
    limits: [],
    checkCost: checkFixedCost,
    begin: () => this.#life.begin(),
    pass: (cost, wait) => this.#pass(cost, wait),
  });

  /**
   * Reads an iterable, async or not, in batches of at most what is granted; what was granted and not read is given
   * back. A batch has 1 to `options.size` items (default 100). Ends with the source; on early exit the source is
   * closed.
   */
  batches<T>(source: AsyncIterable<T> | Iterable<T>, options?: BatchOptions): AsyncGenerator<T[], void, void> {
    const admit = async (size: number, signal: AbortSignal | undefined): Promise<Admitted> => {
      const grantOf = (tokens: number): Grant => this.#grants.of(tokens);
      // One item is there. What more is needed counts as asked for when it shows: as the batch goes out.
      const needs = { needs: 1 };
      const grant = (await this.#acquireWithCare(size, { signal }, async (n) => grantOf(n), grantOf, needs)) as Grant;
      const goesOut = (used: number): void => {
        // One that had room for a single item says nothing of others.
        if (used > 1) this.#demand?.needed((used < grant.tokens ? used : size) - 1, this.#now());
        grant.deposit(grant.tokens - used);
      };
      return { size: grant.tokens, goesOut };
    };
    return batches(admit, this.#settings.runtime, source, options);
  }

  /**
   * Changes the limit and its ramp while running; `min` and `rampUp` stay as they are unless they are given. The level
   * stays exactly where it is, within the new ramp, and goes on in steps of it; the group's capacity is the smallest
   * `max` that a live member declares, so a lower limit holds at once for this member and soon for all, a higher one
   * once everybody has it.
   * @throws DtError `DT_INVALID_OPTION`
   */
  update(limit: ThrottleUpdate): void {
    const allowance = this.#allowance;
    allowance.changeLimit(checkUpdate(limit, this.#settings.intervalMs, allowance.limit));
    if (this.#life.state === "running") this.#membership.syncSoon();
  }

  /**
   * Lowers the level of the whole pool, in tokens per interval, for this member alone and at once; `undefined` or
   * `Infinity` takes the cap away. It never lifts the level above `max`, and below 1 nothing is granted. The ramp goes
   * on beneath it, `update` leaves it, and the others are not told. @throws DtError `DT_INVALID_OPTION` when it is not
   * a number >= 0
   */
  cap(level?: number): void {
    this.#allowance.capAt(checkCap(level));
    if (this.#queue.size > 0) this.#queue.serve();
  }

  /**
   * Listens to an event; returns a function that ends it. Events cost nothing while nobody listens.
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   */
  on<E extends ThrottleEvent>(name: E, listener: Listener<ThrottleEvents[E]>): () => void {
    return this.#events.on(name, listener);
  }

  /** What is going on, as data; moves nothing. The level is what it would be if tokens were asked for now. */
  status(): ThrottleStatus {
    this.#asked = true;
    return statusAt(this.#now(), {
      name: this.name,
      memberId: this.memberId,
      life: this.#life,
      membership: this.#membership,
      allowance: this.#allowance,
      queue: this.#queue,
      demand: this.#demand,
      watch: this.#watch,
    });
  }

  /**
   * Ends in order: refuses new callers (`DT_STOPPED`; `tryAcquire` grants 0), serves those who wait, lets wrapped calls
   * that have begun finish, and then stops as {@link stop} does, after `timeout` at the latest. Resolves to true when
   * all were served and finished and the store took in that this process left. Resolves to false when time was up,
   * `stop` was called meanwhile, or the store did not answer: the share then stays taken until `staleAfter` has passed.
   * A start under way is given up. May be called again: the first call counts. Rejects with a DtError
   * `DT_INVALID_OPTION`.
   */
  async drain(options: DrainOptions = {}): Promise<boolean> {
    const isDone = await this.#life.drain(options);
    return ((await this.#replaced?.drain({ timeout: 0 })) ?? true) && isDone;
  }

  /**
   * Stops gracefully: grants nothing more, refuses those who wait (`DT_STOPPED`) and leaves the group, so that others
   * take over the share at once. Never rejects, and takes two deadlines of the store at most; of many throttles that
   * stop together 256 at a time leave by one store object. When the store does not answer it removes this member
   * after the stale age. Idempotent. Does not close the store.
   */
  async stop(): Promise<void> {
    await this.#life.stop();
    await this.#replaced?.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #tracker(): DemandTracker {
    const { runtime, intervalMs, syncIntervalMs, store } = this.#settings;
    return new DemandTracker({
      runtime,
      intervalMs,
      syncIntervalMs,
      calm: store.capabilities.demandMembers !== undefined,
      waiting: () => this.#queue.cost,
      cappedAt: () => (this.#allowance.cap === this.#allowance.level ? this.#allowance.cap : undefined),
      scale: () => scaleOf(this.#allowance.level, this.#membership.holding.capacity),
      held: () => this.#membership.holding.held,
      epochEndMs: () => this.#allowance.endOfEpochAt(runtime.now()),
      reportAfter: (ms) => this.#membership.syncSoon(0, ms),
    });
  }

  #refresh(nowMs: number): void {
    if (this.#life.state === "idle") this.#life.assertUsable();
    this.#allowance.refresh(nowMs, true);
    // Not in every refusal: the question alone costs a grant a tenth of its time.
    if (this.#queue.size === 0) this.#watch.look(nowMs);
  }

  /** The membership has news: look again at the next grant, now if somebody waits. */
  #shareChanged(): void {
    this.#allowance.untilMs = 0;
    if (this.#membership.standing === "fenced") this.#queue.failAll(fencedError(this.memberId));
    else if (this.#queue.size > 0) this.#queue.serve();
  }
}

/** Tokens of a capacity that it takes to grant one at a level. */
function scaleOf(level: number, capacity: number): number {
  return level > 0 && level < capacity ? capacity / level : 1;
}

/**
 * Creates a throttle: this process's part of a limit that the whole `group` shares. Call `start()` before the first
 * grant and `stop()` at the end.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function createThrottle(options: ThrottleOptions): Throttle {
  return new Throttle(checkOptions(options));
}
