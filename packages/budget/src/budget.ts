import { type DrainOptions, DtError, type Limiter, type Listener, type PauseEnd, type Semaphore } from "@dt/core";
import { checkName, Drain, type Events, markVersion, pauseMsOf, withDeadline } from "@dt/core/internal";
import { type BudgetAcquireOptions, type BudgetCall, checkBudgetCall } from "./acquire-options.ts";
import { type Admitted, Asking, isNotNow, limitedByOf } from "./asking.ts";
import { type BudgetCalls, callsOfBudget } from "./budget-calls.ts";
import { BudgetClient } from "./budget-client.ts";
import { BudgetQueue } from "./budget-queue.ts";
import { BudgetTally, type CountedCall } from "./call-counts.ts";
import { semaphoreOf } from "./concurrent.ts";
import { type Cost, spentUnits, type Usage } from "./cost.ts";
import { limitName, stoppedError } from "./errors.ts";
import { Estimates } from "./estimates.ts";
import { type BudgetEvent, type BudgetEvents, budgetEvents } from "./events.ts";
import { type LearnOptions, learnedFrom, type Stated } from "./learning.ts";
import { Lease } from "./lease.ts";
import type { NotNow } from "./open-reservation.ts";
import { type BudgetOptions, type BudgetSettings, checkBudgetOptions } from "./options.ts";
import { Settling } from "./settling.ts";
import type { BudgetStatus, LimitStatus } from "./status.ts";

/**
 * Several limits that the calls of a fleet share, such as requests and tokens a minute. A call reserves its cost of all
 * limits or of none, and settles its true cost when it has ended. Made by {@link createBudget}.
 */
export class Budget<Limit extends string = string>
  implements Limiter<Promise<Lease<Limit> | undefined>, Lease<Limit>, Cost<Limit>, BudgetAcquireOptions>
{
  static {
    markVersion(Budget.prototype);
  }

  /** The budget's name: budgets of one name on one store share their limits. */
  readonly name: string;

  /** What all budgets of this name must agree on, as text: see the option `replaces`. */
  readonly terms: string;

  /**
   * Makes one call once its cost is reserved, hands it the lease, and settles the lease when the work has ended. A call
   * may return an async iterable, a `ReadableStream`, an object with one as its `stream`, or a `Response`. Its work
   * ends when that is read to its end, fails, or is cancelled. A slot of `concurrent` is kept until then.
   * @example
   * const answer = await budget.run(() => complete(prompt), {
   * });
   */
  readonly run: BudgetCalls<Limit>["run"];

  /**
   * Turns a function into one whose calls are made as {@link Budget.run} makes them. Also a standard decorator.
   * @example
   * const complete = budget.wrap(callModel, { cost: (prompt) => ({ tokens: { input: prompt.length / 4 } }) });
   */
  readonly wrap: BudgetCalls<Limit>["wrap"];

  readonly #settings: BudgetSettings;
  readonly #client: BudgetClient;
  readonly #queue: BudgetQueue;
  readonly #settling: Settling;
  readonly #asking: Asking;
  readonly #events: Events<BudgetEvents>;
  readonly #tally: BudgetTally;
  readonly #drain: Drain;
  readonly #semaphore: Semaphore | undefined;
  #state: BudgetStatus["state"] = "running";
  #stopping: Promise<void> | undefined;
  /** Callers that wait: for a slot, or for a reservation. */
  #waiting = 0;
  #wouldWait = 0;
  #ignored = 0;

  /** Use {@link createBudget}. */
  constructor(options: BudgetOptions<Limit>) {
    const settings = checkBudgetOptions(options as BudgetOptions);
    const { name, runtime } = settings;
    const estimates = new Estimates();
    this.#settings = settings;
    this.name = name;
    this.terms = settings.terms;
    this.#events = budgetEvents({ name });
    this.#client = new BudgetClient(settings);
    this.#client.onError = (error) => this.#storeFailed(error);
    this.#semaphore = semaphoreOf(settings);
    this.#tally = new BudgetTally(settings, this.#events, this.#semaphore);
    this.#queue = new BudgetQueue(settings, this.#client, this.#events, this.#tally);
    this.#tally.isHeldUp = () => this.#queue.isHeldUp;
    this.#settling = new Settling(settings, this.#client, estimates, this.#events);
    this.#asking = new Asking(settings, this.#queue, this.#client, estimates, this.#semaphore, this.#tally);
    this.#drain = new Drain(runtime, () => this.#waiting);
    const { run, wrap } = callsOfBudget<Limit>({
      limits: settings.limits,
      begin: () => this.#drain.begin(),
      check: (cost, call) => void this.#asking.want(cost, call),
      wait: (cost, call) => this.#wait(cost, call),
      now: (cost, call) => this.#now(cost, call, (counted) => this.#tally.refused(counted)),
      limited: (notNow) => this.#asking.limited(notNow),
      ignore: (values) => this.#ignore(values),
    });
    this.run = run;
    this.wrap = wrap;
  }

  /**
   * Waits until all of a cost is reserved, and resolves to the lease. Callers of this process are served by priority;
   * of one priority the keys take turns. Processes are served in the order in which their reservations reach the store.
   * The lease is to be settled when the call has ended.
   * @param cost the units of each limit: numbers, or sizes that are not known; `{ requests: 1 }` by default
   * @param options `signal`, `timeout`, `priority`, `key`, `model`
   * @throws DtError `DT_INVALID_COST` for more than a limit ever holds; `DT_TIMEOUT` with `retryAfterMs` and
   * @example using lease = await budget.acquire({ tokens: 1_200 }, { timeout: "10s" })
   */
  async acquire(cost?: Cost<Limit>, options?: BudgetAcquireOptions): Promise<Lease<Limit>> {
    return this.#wait(cost, checkBudgetCall(options));
  }

  /**
   * Reserves a cost if the call may begin at this instant: one round trip, and no waiting. While callers wait there is
   * none. With `concurrent` it is undefined until the semaphore has started, which this begins.
   * @param cost the units of each limit
   * @returns the lease, or undefined
   * @throws DtError as {@link Budget.acquire} does, but for `DT_TIMEOUT` and `DT_QUEUE_FULL`
   * @example using lease = await budget.tryAcquire({ tokens: 1_200 })
   */
  async tryAcquire(cost?: Cost<Limit>): Promise<Lease<Limit> | undefined> {
    const answer = await this.#now(cost, checkBudgetCall(undefined), () => this.#tally.answeredNo());
    return answer instanceof Lease ? answer : undefined;
  }

  /**
   * Settles a lease by its id: where the process that reserved it is gone, or has restarted. Only the first settlement
   * of a lease counts. One that the store does not know any more changes nothing.
   * @param id the id of the lease
   * @param usage the units of every limit, or their parts; `requests` is 1 unless it is given
   * @throws DtError `DT_INVALID_COST`, `DT_INVALID_OPTION`
   * @example budget.settle(job.leaseId, { tokens: 830 })
   */
  settle(id: string, usage: Usage<Limit>): void {
    const { limits } = this.#settings;
    checkName("id", id);
    const spent = spentUnits(
      { ...(limits.some(({ name }) => name === "requests") && { requests: 1 }), ...usage },
      limits,
    );
    const costs = limits.map(({ name }, index) => required(name, spent[index]));
    this.#client.settle({ id, costs, measured: false });
  }

  /**
   * Pauses the fleet: no call of this budget begins before then, in any process. A pause that lasts longer already
   * stays as it is. This process obeys at once, every other one with its next reservation.
   * @param until a `Date` or milliseconds since 1970; a `Retry-After` field; or a duration such as `"30s"`
   * @throws DtError `DT_INVALID_OPTION`
   * @example budget.pauseUntil(response.headers.get("retry-after") ?? "1s")
   */
  pauseUntil(until: PauseEnd): void {
    const { runtime } = this.#settings;
    this.#pauseFor(pauseMsOf(until, runtime));
  }

  /**
   * Learns what a callee states of its limits: units left, when they are full again, and a wait. It only ever lowers
   * what is left here. Limits are matched by name: `requests`, `tokens`, `input-tokens` and so on.
   * @param answer a response, its headers, an error of a client, or `{ remaining: { tokens: 800 }, retryAfterMs }`
   * @param options `body`: that of the answer, parsed
   * @returns how many values made no sense, and were ignored
   * @throws DtError `DT_INVALID_OPTION`
   * @example budget.learn(response)
   */
  learn(answer: Stated | object, options: LearnOptions = {}): number {
    const { limits, runtime } = this.#settings;
    const learned = learnedFrom(answer, options, limits, runtime);
    for (const { limit, rest, resetMs } of learned.limits) this.#client.state(limit, rest, resetMs);
    if (learned.pauseMs > 0) this.#pauseFor(Math.min(learned.pauseMs, pauseMsOf("1d", runtime)));
    this.#ignore(learned.ignored);
    return learned.ignored;
  }

  /**
   * Listens to an event. An event that has no listener costs nothing.
   * @param event its name, as in {@link BudgetEvents}
   * @param listener called with the event
   * @returns the function that ends the listening
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   * @example const off = budget.on("limited", ({ limitedBy }) => log(limitedBy))
   */
  on<E extends BudgetEvent>(event: E, listener: Listener<BudgetEvents[E]>): () => void {
    return this.#events.on(event, listener);
  }

  /**
   * The budget at this instant, as data. Changes nothing.
   * @example budget.status().limitedBy
   */
  status(): BudgetStatus {
    const { limits, stored } = this.#settings;
    const { limitedBy } = this.#queue;
    const { settled, estimated, unsettled } = this.#settling.counts;
    return {
      ...{ kind: "budget", limiting: this.#tally.isLimiting, calls: this.#tally.counts },
      ...{ state: this.#state, name: this.name, terms: this.terms, stored, settled, estimated, unsettled },
      limits: Object.fromEntries(limits.map((limit, index) => [limit.name, this.#limitStatus(limit.max, index)])),
      inUse: this.#semaphore?.status().inUse,
      waiting: this.#waiting,
      maxWaiters: this.#settings.maxWaiters,
      ahead: this.#queue.ahead,
      limitedBy: limitName(this.#settings, limitedBy),
      pausedForMs: this.#queue.pausedForMs,
      open: this.#settling.open,
      wouldWait: this.#wouldWait,
      wasted: this.#queue.wasted,
      ignored: this.#ignored,
      requests: this.#client.sent,
      lastError: this.#client.lastError,
    };
  }

  /**
   * Ends in order: refuses new callers (`DT_STOPPED`), serves those that wait, lets calls of `run` and of wrapped
   * functions finish with their streams, settles, and stops. The first call counts.
   * @param options `timeout`, after which the budget is stopped in any case: 25 s by default
   * @returns true when all callers were served, all calls finished, and the store has every settlement
   * @throws DtError `DT_INVALID_OPTION`
   * @example const inOrder = await budget.drain({ timeout: "10s" })
   */
  drain(options: DrainOptions = {}): Promise<boolean> {
    return this.#drain.end(options, {
      refuse: () => {
        if (this.#state === "running") this.#state = "draining";
      },
      isDraining: () => this.#state === "draining",
      stop: () => this.stop(),
      gaveBack: () => !this.#client.hasPending,
    });
  }

  /**
   * Ends at once: refuses the callers that wait (`DT_STOPPED`), gives their reservations back, and sends what was
   * settled. Leases that are open stay spent. Never rejects; may be called again. Does not close the store.
   * @example await budget.stop()
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** The same as {@link Budget.stop}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    this.#state = "stopping";
    const { runtime, storeTimeoutMs: timeoutMs } = this.#settings;
    const answered = this.#queue.close(stoppedError(this.name, "was stopped"));
    const released = this.#semaphore?.stop();
    // A store that is being set up may take any time.
    await withDeadline(() => answered, { runtime, timeoutMs, what: "the end of a budget" }).catch(() => undefined);
    await this.#client.drain(2 * timeoutMs);
    await released;
    this.#settling.stop();
    this.#client.stop();
    this.#state = "stopped";
    this.#drain.look();
  }

  async #wait(cost: Cost | undefined, call: BudgetCall): Promise<Lease<Limit>> {
    const want = this.#asking.want(cost, call);
    call.signal?.throwIfAborted();
    this.#assertOpen();
    const counted = this.#counted(want, call);
    this.#waiting += 1;
    try {
      return this.#lease(await this.#asking.wait(want), call, counted);
    } catch (error) {
      this.#tally.failed(error, counted);
      throw error;
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#drain.look();
    }
  }

  /** @param refused called where it got nothing */
  async #now(
    cost: Cost | undefined,
    call: BudgetCall,
    refused: (counted: CountedCall) => void,
  ): Promise<Lease<Limit> | NotNow> {
    const want = this.#asking.want(cost, call);
    call.signal?.throwIfAborted();
    this.#assertOpen();
    const counted = this.#counted(want, call);
    try {
      const answer = await this.#asking.now(want);
      if (!isNotNow(answer)) return this.#lease(answer, call, counted);
      refused(counted);
      return answer;
    } catch (error) {
      this.#tally.failed(error, counted);
      throw error;
    }
  }

  #counted({ units }: { readonly units: readonly number[] }, { signal, priority }: BudgetCall): CountedCall {
    return { sinceMs: this.#settings.runtime.now(), units, priority, signal };
  }

  #lease(admitted: Admitted, { learner }: BudgetCall, counted: CountedCall): Lease<Limit> {
    const { limits, runtime, enforce } = this.#settings;
    const { granted, units, slot, isFull = false } = admitted;
    const nowMs = runtime.now();
    const cost = Object.fromEntries(limits.map(({ name }, index) => [name, units[index]])) as Record<Limit, number>;
    const limitedBy = limitedByOf(this.#settings, admitted);
    const { id, lateMs, waitMs } = granted;
    const waitedMs = nowMs - counted.sinceMs;
    const lease = new Lease<Limit>(this.#settling, { id, cost, lateMs, waitedMs, limitedBy }, nowMs, slot);
    this.#settling.add(lease as Lease, learner);
    this.#tally.granted(counted, enforce && waitMs > 0);
    if (this.#events.has("grant")) this.#events.emit("grant", { cost, waitedMs });
    if (enforce || (waitMs === 0 && !isFull)) return lease;
    this.#wouldWait += 1;
    if (this.#events.has("wouldWait")) this.#events.emit("wouldWait", { limitedBy, waitMs });
    return lease;
  }

  #limitStatus(max: number, index: number): LimitStatus {
    const reserved = this.#settling.reservedUnits[index] ?? 0;
    const settled = this.#client.settledUnits[index] ?? 0;
    return { max, rest: this.#queue.rests[index], reserved, settled };
  }

  #pauseFor(ms: number): void {
    if (ms <= 0 || this.#stopping) return;
    this.#queue.pause(this.#settings.runtime.now() + ms);
  }

  #ignore(values: number): void {
    if (values === 0) return;
    this.#ignored += values;
    if (this.#events.has("ignored")) this.#events.emit("ignored", { values });
  }

  #storeFailed(error: DtError): void {
    if (this.#events.has("storeError")) this.#events.emit("storeError", { error });
  }

  #assertOpen(): void {
    if (this.#state === "running") return;
    throw stoppedError(this.name, this.#state === "draining" ? "is being drained" : "was stopped");
  }
}

function required(name: string, units: number | undefined): number {
  if (units !== undefined) return units;
  throw new DtError(
    "DT_INVALID_COST",
    `usage.${name} is undefined; a lease of another process is settled with all limits`,
  );
}

/**
 * Creates a budget: several limits that the calls of a fleet share, settled when the true cost of a call is known.
 * @param options `name`, `store` and `limits`; the rest has defaults
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 * @example
 * const budget = createBudget({
 * });
 */
export function createBudget<Limit extends string>(options: BudgetOptions<Limit>): Budget<Limit> {
  return new Budget(options);
}
