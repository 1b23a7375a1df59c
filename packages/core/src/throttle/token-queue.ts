import type { Membership } from "../consensus/membership.ts";
import type { Activity } from "../contract/coordination-store.ts";
import type { DemandTracker } from "../demand/demand-tracker.ts";
import { DtError } from "../errors/dt-error.ts";
import type { Events } from "../internal/events.ts";
import type { Tally } from "../internal/tally.ts";
import { type Wait, type Waiter, WaitingQueue } from "../internal/waiting-queue.ts";
import { MOST_TOKENS } from "../ledger/bounds.ts";
import type { Timer } from "../runtime/runtime.ts";
import type { Allowance } from "./allowance.ts";
import type { BlockedWatch } from "./blocked-watch.ts";
import { Collected, type Part } from "./collected.ts";
import { timeoutError } from "./errors.ts";
import type { ThrottleEvents } from "./events.ts";
import { isLimited } from "./is-limited.ts";
import type { ThrottleSettings } from "./settings.ts";

/**
 * After so many answers in a row that came too late to tell the store's time, a store is called slow. The first ones of
 * a process that begins come late on a busy machine, whatever the store.
 */
const SLOW_ANSWERS = 5;

/** How a caller waits for tokens. */
export interface TokenWait<T> extends Wait {
  /** True where 1 token of `cost` is enough. Otherwise all of them are wanted: the head of the queue collects them. */
  readonly upTo: boolean;
  /** Makes the answer of what was granted, the oldest part first. */
  readonly answer: (parts: readonly Part[]) => T;
}

type TokenWaiter = Waiter<unknown, TokenWait<unknown>>;

/**
 * Callers waiting for tokens, served by priority and in the order in which they came, and the one timer that wakes them
 * when the next token is due. Only the head collects. What it has collected when it gives up goes to the next ones, as
 * if they had collected it; what is left then goes back.
 */
export class TokenQueue {
  readonly #settings: ThrottleSettings;
  readonly #allowance: Allowance;
  readonly #membership: Membership;
  readonly #events: Events<ThrottleEvents>;
  readonly #demand: DemandTracker | undefined;
  readonly #watch: BlockedWatch;
  readonly #tally: Tally;
  readonly #queue: WaitingQueue<unknown, TokenWait<unknown>>;
  readonly #collected = new Collected();
  /** Takes back what was collected in vain. */
  onGivenUp: (part: Part) => void = () => undefined;
  #wake: Timer | undefined;
  #recovering: Promise<void> | undefined;

  constructor(
    settings: ThrottleSettings,
    allowance: Allowance,
    membership: Membership,
    events: Events<ThrottleEvents>,
    watch: BlockedWatch,
    tally: Tally,
    demand?: DemandTracker,
  ) {
    this.#settings = settings;
    this.#allowance = allowance;
    this.#membership = membership;
    this.#events = events;
    this.#demand = demand;
    this.#watch = watch;
    this.#tally = tally;
    const { runtime, maxWaiters, acquireTimeoutMs } = settings;
    this.#queue = new WaitingQueue({
      runtime,
      maxWaiters,
      acquireTimeoutMs,
      timeoutError: ({ cost }, timeoutMs) => this.timeoutError(cost, timeoutMs),
    });
    this.#queue.onGiveUp = () => {
      // Only a head that has left has anything to hand on: nothing is collected while one waits that does not collect.
      if (this.#collected.tokens > 0 && !this.#queue.keepsFirst) this.#handOn();
      if (this.#queue.size > 0) return;
      const nowMs = runtime.now();
      // What came due while it waited is kept for the next caller.
      allowance.allotment.waitedUntil(nowMs);
      demand?.emptied(nowMs);
    };
    this.#queue.onDecided = (result, { cost, priority }, waitedMs) =>
      tally.decided(result, waitedMs, cost, priority ?? 0);
    this.#queue.onTimeout = ({ cost, waitedMs }) => {
      if (events.has("timedOut")) events.emit("timedOut", { tokens: cost, waitedMs });
    };
    this.#queue.onFull = () => {
      if (events.has("queueFull")) events.emit("queueFull", { waiting: this.size });
    };
  }

  get size(): number {
    return this.#queue.size;
  }

  /** Tokens that are waited for. O(waiters). */
  get cost(): number {
    return this.#queue.cost;
  }

  /** What a report that is sent now says (R27). Never more than a store takes: the report is not lost for its sake. */
  get activity(): Activity {
    const used = this.#allowance.usedBefore(this.#settings.runtime.now());
    return { used: Math.min(used, MOST_TOKENS), waiting: Math.min(this.cost, MOST_TOKENS) };
  }

  /** Told when the last waiter has left. */
  set onEmpty(listener: () => void) {
    this.#queue.onEmpty = listener;
  }

  /** Joins the queue. Settles as documented at `Throttle.acquire`, with the answer. */
  join<T>(wait: TokenWait<T>): Promise<T> {
    if (this.#queue.size === 0) this.#allowance.allotment.waitsFrom(this.#settings.runtime.now());
    const joined = this.#queue.join(wait);
    this.serve();
    return joined as Promise<T>;
  }

  /** Serves those who wait as far as tokens go, and arms the timer for the next token. */
  serve(): void {
    this.#wake?.cancel();
    this.#wake = undefined;
    const { runtime } = this.#settings;
    const allowance = this.#allowance;
    const waited = this.#queue.size > 0;
    while (this.#queue.size > 0 && allowance.open) {
      const nowMs = runtime.now();
      if (nowMs >= allowance.untilMs) allowance.refresh(nowMs, true);
      // A listener that refresh told of a new share may have served the first one.
      const waiter = this.#queue.first;
      if (!waiter) return;
      allowance.allotment.waitedUntil(nowMs);
      const granted = allowance.allotment.take(waiter.cost, nowMs);
      if (granted === 0) {
        this.#demand?.starve(nowMs);
        if (isLimited(nowMs, allowance, this.#membership)) this.#tally.limited(nowMs);
        this.#sleep(nowMs);
        return;
      }
      this.#tally.units += granted;
      this.#demand?.served(granted, nowMs);
      const told = this.#events.has("grant");
      const waitedMs = told ? waiter.waitedMs : 0;
      // Out of the queue, or served its part, before listeners hear of it: one that asks for tokens comes back here.
      this.#grant(waiter, granted);
      if (told) this.#events.emit("grant", { epoch: allowance.epoch, tokens: granted, waitedMs });
      if (this.#queue.size === 0) this.#watch.over();
    }
    if (waited && this.#queue.size === 0) this.#demand?.emptied(runtime.now());
  }

  /** Refuses all who wait. */
  failAll(error: unknown): void {
    this.#wake?.cancel();
    this.#wake = undefined;
    this.#queue.failAll(error);
    this.#giveBack();
  }

  /** The `DT_TIMEOUT` of a call for so many tokens. */
  timeoutError(tokens: number, timeoutMs: number | undefined): DtError {
    const { name, runtime } = this.#settings;
    const nowMs = runtime.now();
    // Where there are some, but too few: a call that does not wait.
    const blocked = this.#watch.found(nowMs) ?? this.#watch.found(nowMs, tokens);
    return timeoutError({ name, tokens, blocked }, timeoutMs ?? 0);
  }

  #grant(waiter: TokenWaiter, tokens: number): void {
    const { epoch, turn } = this.#allowance;
    this.#collected.add({ tokens, epoch, turn });
    waiter.cost -= tokens;
    if (waiter.want.upTo || waiter.cost === 0) waiter.answer(waiter.want.answer(this.#collected.takeAll()));
    else this.#queue.keepFirst(waiter);
  }

  /** The head has given up: what it had collected is for the next ones, and the rest goes back. */
  #handOn(): void {
    const collected = this.#collected;
    for (;;) {
      const next = this.#queue.first;
      // A caller before it gave up at this moment too, and has handed on: the rest belongs to this one.
      if (this.#queue.keepsFirst) return;
      if (next === undefined || collected.tokens === 0) break;
      const tokens = Math.min(next.cost, collected.tokens);
      next.cost -= tokens;
      if (!next.want.upTo && next.cost > 0) {
        this.#queue.keepFirst(next);
        return;
      }
      next.answer(next.want.answer(collected.take(tokens)));
    }
    this.#giveBack();
  }

  #giveBack(): void {
    for (const part of this.#collected.takeAll().toReversed()) this.onGivenUp(part);
  }

  #sleep(nowMs: number): void {
    const { runtime } = this.#settings;
    if (!this.#allowance.valid(nowMs)) this.#recover();
    const atMs = Math.min(this.#allowance.allotment.nextAt(nowMs), this.#allowance.untilMs);
    this.#wake?.cancel();
    this.#wake = runtime.setTimer(() => this.serve(), Math.max(0, atMs - nowMs));
    this.#watch.look(nowMs);
  }

  /**
   * Somebody waits and the share is not valid: ask the store now. If that does not help and the policy grants nothing,
   * nobody is left hanging.
   */
  #recover(): void {
    this.#recovering ??= this.#ask()
      .catch((error: unknown) => this.#giveUp(error))
      .finally(() => {
        this.#recovering = undefined;
      });
  }

  async #ask(): Promise<void> {
    for (let asked = 0; asked < SLOW_ANSWERS; asked++) {
      await this.#membership.syncNow();
      if (this.#membership.clock.known || this.#allowance.valid(this.#settings.runtime.now())) return;
      // Nobody waits any more: slow answers are not asked for in vain.
      if (this.#queue.size === 0) return;
    }
    throw tooSlow(this.#settings.clockErrorMs);
  }

  /** Refuses everybody, unless the policy grants something now or once the ramp is up. */
  #giveUp(error: unknown): void {
    const nowMs = this.#settings.runtime.now();
    if (this.#allowance.shareAt(nowMs, this.#allowance.limit.max).tokens === 0) this.failAll(error);
  }
}

function tooSlow(clockErrorMs: number): DtError {
  return new DtError(
    "DT_STORE_SLOW",
    `no round trip to the store was shorter than clockError (${clockErrorMs} ms), so its clock is not known well enough; raise clockError or use a nearer store`,
  );
}
