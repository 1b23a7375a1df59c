import type { Membership } from "../consensus/membership.ts";
import type { DemandTracker } from "../demand/demand-tracker.ts";
import type { DtError } from "../errors/dt-error.ts";
import type { Events, Topic } from "../internal/events.ts";
import type { Tally } from "../internal/tally.ts";
import { type AcquireOptions, type AcquireSettings, checkAcquireOptions } from "../limiter/acquire-options.ts";
import type { Allowance } from "./allowance.ts";
import type { BlockedWatch } from "./blocked-watch.ts";
import { checkTokens } from "./check-tokens.ts";
import type { Part } from "./collected.ts";
import { fencedError, limitedError } from "./errors.ts";
import type { ThrottleEvents } from "./events.ts";
import { isLimited } from "./is-limited.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { ThrottleSettings } from "./settings.ts";
import type { TokenQueue, TokenWait } from "./token-queue.ts";

/** What is asked for, and what is made of the tokens that are granted. */
export interface Wanted<T> extends Pick<TokenWait<T>, "upTo" | "answer"> {
  /** So many of the tokens count as asked for. Default all of them. */
  readonly needs?: number;
}

export interface AskingSources {
  readonly settings: ThrottleSettings;
  readonly events: Events<ThrottleEvents>;
  readonly membership: Membership;
  readonly allowance: Allowance;
  readonly demand: DemandTracker | undefined;
  readonly queue: TokenQueue;
  readonly watch: BlockedWatch;
  readonly life: Lifecycle;
  readonly tally: Tally;
}

/** The one way to tokens: at once, or by the queue. */
export class Asking {
  readonly #settings: ThrottleSettings;
  readonly #now: () => number;
  readonly #granted: Topic<ThrottleEvents["grant"]>;
  readonly #membership: Membership;
  readonly #allowance: Allowance;
  readonly #demand: DemandTracker | undefined;
  readonly #queue: TokenQueue;
  readonly #watch: BlockedWatch;
  readonly #life: Lifecycle;
  readonly #tally: Tally;
  /** Local time at which tokens were last asked for in vain. */
  #missedMs = 0;

  constructor({ settings, events, membership, allowance, demand, queue, watch, life, tally }: AskingSources) {
    const { runtime } = settings;
    this.#settings = settings;
    this.#now = () => runtime.now();
    this.#granted = events.topic("grant");
    this.#membership = membership;
    this.#allowance = allowance;
    this.#demand = demand;
    this.#queue = queue;
    this.#watch = watch;
    this.#life = life;
    this.#tally = tally;
  }

  /** The most tokens that can ever be granted at once. */
  get max(): number {
    return this.#allowance.limit.max;
  }

  /** Grants all of `n` tokens, or none; `n` was checked. */
  all(n: number): boolean {
    if (this.takeAll(n) === 0) return false;
    this.reportNow(n);
    return true;
  }

  /** Grants all of `n` tokens, or none: returns `n` or 0. Listeners are not told of it yet. */
  takeAll(n: number): number {
    const allowance = this.#allowance;
    const nowMs = this.#now();
    if (nowMs >= allowance.untilMs) this.#refresh(nowMs);
    const { allotment } = allowance;
    let granted = 0;
    if (this.#queue.size === 0) granted = n === 1 ? allotment.take(1, nowMs) : allotment.takeAll(n, nowMs);
    if (granted === 0) this.#missedMs = nowMs;
    const demand = this.#demand;
    if (demand === undefined) return granted;
    if (granted === 1 && n === 1 && nowMs < demand.countsUntilMs) demand.singles += 1;
    else demand.asked(n, granted, nowMs);
    return granted;
  }

  /** Grants up to `n` tokens; `needs` of them count as asked for. Listeners are not told of it yet. */
  takeUpTo(n: number, needs: number = n): number {
    const allowance = this.#allowance;
    const nowMs = this.#now();
    if (nowMs >= allowance.untilMs) this.#refresh(nowMs);
    const granted = this.#queue.size > 0 ? 0 : allowance.allotment.take(n, nowMs);
    if (granted === 0) this.#missedMs = nowMs;
    if (this.#demand !== undefined) this.#demand.asked(needs, granted, nowMs);
    return granted;
  }

  /**
   * A call that does not wait got nothing: the throttle starts in the background, if it has to.
   * @throws DtError `DT_STOPPED`
   */
  refused(n: number): void {
    this.#tally.answeredNo();
    if (this.#life.state !== "running") this.#life.startInBackground();
    else {
      this.#noteLimited();
      if (n > 1) this.#watch.refused(n);
    }
  }

  /**
   * Waits for the start, for a call of `run` that waits for nothing else. Where that fails, the call has come out.
   * @throws DtError `DT_STOPPED`, `DT_TIMEOUT` where the call has a time of its own; as the start does
   */
  async started(n: number, { timeoutMs, signal, priority }: AcquireSettings): Promise<boolean> {
    signal?.throwIfAborted();
    this.#life.assertOpen();
    const sinceMs = this.#now();
    try {
      const isStarted = await this.#life.startedWithin(timeoutMs, signal);
      if (!isStarted && timeoutMs !== undefined) throw this.#queue.timeoutError(n, timeoutMs);
      return isStarted;
    } catch (error) {
      this.#tally.failed(error, signal, this.#now() - sinceMs, n, priority);
      throw error;
    }
  }

  /** A call of `run` that does not wait got nothing. */
  missed(n: number, priority: number, isStarted: boolean): void {
    if (isStarted) this.#noteLimited();
    this.#tally.decided("refused", 0, n, priority);
  }

  #noteLimited(): void {
    if (isLimited(this.#missedMs, this.#allowance, this.#membership)) this.#tally.limited(this.#missedMs);
  }

  /** Tokens that were granted at this instant. */
  part(tokens: number): Part {
    const { epoch, turn } = this.#allowance;
    return { tokens, epoch, turn };
  }

  /** The same for tokens that were granted at this instant. */
  reportNow(tokens: number): void {
    this.#count(tokens);
    if (this.#granted.observed) this.#granted.emit({ epoch: this.#allowance.epoch, tokens, waitedMs: 0 });
  }

  /**
   * Tells listeners of what was granted at once: after the grant has its epoch, since one of them may begin the next.
   */
  report({ epoch, tokens }: Part): void {
    this.#count(tokens);
    if (this.#granted.observed) this.#granted.emit({ epoch, tokens, waitedMs: 0 });
  }

  #count(tokens: number): void {
    this.#tally.granted += 1;
    this.#tally.units += tokens;
  }

  /** Asks with options that are still to be checked. Settles as documented at `Throttle.acquire`, with the answer. */
  acquire<T>(n: number, options: AcquireOptions | undefined, { upTo, answer, needs }: Wanted<T>): Promise<T> {
    try {
      const { timeoutMs, signal, priority } = checkAcquireOptions(options);
      if (signal?.aborted) return Promise.reject(signal.reason);
      this.#life.assertOpen();
      checkTokens(n, upTo ? undefined : this.max);
      const granted = upTo ? this.takeUpTo(n, needs) : this.takeAll(n);
      if (granted === 0) return this.wait({ cost: n, needs, upTo, answer, timeoutMs, signal, priority });
      const part = this.part(granted);
      const answered = answer([part]);
      this.report(part);
      return Promise.resolve(answered);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Nothing was there at once. What was asked for is not asked for again: it would count twice as demand. */
  wait<T>(wait: TokenWait<T>): Promise<T> {
    try {
      const { cost, signal, timeoutMs } = wait;
      // A listener that was told of a share or a grant may have aborted or stopped.
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (this.#life.state !== "running") this.#life.startForCallers();
      if (this.#membership.standing === "fenced") throw fencedError(this.#settings.memberId);
      if (timeoutMs === 0) {
        this.#noteLimited();
        this.#tally.decided("timedOut", 0, cost, wait.priority ?? 0);
        throw this.#queue.timeoutError(cost, 0);
      }
      return this.#queue.join(wait);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** The `DT_LIMITED` of a call for so many tokens. */
  limited(tokens: number): DtError {
    return limitedError({ name: this.#settings.name, tokens, blocked: this.#watch.found(this.#now(), tokens) });
  }

  #refresh(nowMs: number): void {
    // Before the start nothing is granted, whoever asks: the ramp waits as well.
    if (this.#life.joined) this.#allowance.refresh(nowMs, true);
    // Not in every refusal: the question alone costs a grant a tenth of its time.
    if (this.#queue.size === 0) this.#watch.look(nowMs);
  }
}
