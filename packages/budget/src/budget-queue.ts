import { type DtError, isDtError, type Timer } from "@dt/core";
import { type Events, SleepWatch, WaitingQueue } from "@dt/core/internal";
import type { BudgetClient, TimedAnswer } from "./budget-client.ts";
import type { BudgetTally } from "./call-counts.ts";
import { limitName, notInTime, slowStore, stoppedError } from "./errors.ts";
import type { BudgetEvents } from "./events.ts";
import { FairOrder } from "./fair-order.ts";
import {
  type BudgetWait,
  type Caller,
  type Granted,
  holdsUp,
  mayUse,
  type NotNow,
  type OpenReservation,
  reservationOf,
} from "./open-reservation.ts";
import type { BudgetSettings } from "./options.ts";

/** What limits a call in a pause. */
const PAUSE = -1;
/** Where limits live in the store they may be raised or lowered: callers that wait hear of it within so long. */
const LOOK_MS = 1_000;
/** While no call waits, so many requests may be under way at once. */
const MOST_UNDER_WAY = 64;
/**
 * A second reservation waits so long for something to travel with: then one round trip does for two. The first one
 * keeps the process's place meanwhile.
 */
const COMPANY_MS = 100;
/** A caller that was woken too late so often in a row is told why. */
const MOST_WASTED = 5;
/** Of callers that cannot be served now so many are looked at, for one that can. */
const MOST_LOOKED_AT = 64;

/** The callers of one budget: those without a reservation in fair order, and at most a few with one. */
export class BudgetQueue {
  readonly #settings: BudgetSettings;
  readonly #client: BudgetClient;
  readonly #events: Events<BudgetEvents>;
  readonly #tally: BudgetTally;
  readonly #queue: WaitingQueue<Granted, BudgetWait>;
  readonly #order = new FairOrder<Caller>(({ want }) => want);
  readonly #open = new Set<OpenReservation>();
  /** Requests that are not answered. */
  readonly #asked = new Set<Promise<unknown>>();
  readonly #sleep: SleepWatch;
  readonly #wasted = new WeakMap<Caller, number>();
  #company: Timer | undefined;
  #look: Timer | undefined;
  #alone = false;
  /** So many requests may be under way: more with each answer that makes no call wait. */
  #underWay: number;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #closed = false;
  /** True while several reservations are given back: none of their callers reserves anew before all are back. */
  #isGivingBack = false;
  /** Reservations that came too late to be used. */
  wasted = 0;
  /** What is left of each limit, by the last answer. */
  rests: readonly number[] = [];
  /** What the last reservation waits for, or would have. */
  limitedBy: number | undefined;

  constructor(settings: BudgetSettings, client: BudgetClient, events: Events<BudgetEvents>, tally: BudgetTally) {
    const { runtime, maxWaiters, acquireTimeoutMs } = settings;
    this.#settings = settings;
    this.#client = client;
    this.#events = events;
    this.#tally = tally;
    this.#underWay = settings.maxAhead;
    this.#sleep = new SleepWatch(runtime);
    const timeoutError = (want: BudgetWait, timeoutMs: number | undefined, retryAfterMs?: number): DtError => {
      const open = [...this.#open].find(({ caller }) => caller?.want === want);
      return notInTime(settings, timeoutMs, retryAfterMs ?? this.#restMs(open), open?.limitedBy);
    };
    this.#queue = new WaitingQueue({ runtime, maxWaiters, acquireTimeoutMs, timeoutError });
    this.#queue.onJoined = (caller) => this.#order.push(caller);
    this.#queue.onLeft = (caller) => this.#left(caller);
    this.#queue.onFull = () => {
      if (events.has("queueFull")) events.emit("queueFull", { waiting: this.waiting });
    };
    this.#queue.onTimeout = ({ waitedMs }) => {
      if (events.has("timedOut")) events.emit("timedOut", { waitedMs });
    };
    client.onAnswer = (timed) => this.#answered(timed);
    client.onLimits = (from, to) => {
      if (events.has("limitChanged")) events.emit("limitChanged", { from, to });
      // What is reserved ahead was reserved by the old ones.
      this.#giveBackAll(({ dueMs }) => dueMs > runtime.now());
    };
    // A reservation that waits for company goes with it.
    client.onPending = () => this.#serve();
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Reservations in the fleet's line. */
  get ahead(): number {
    return this.#open.size;
  }

  /** True while callers wait for a limit: for the instant of a reservation, or to ask again as the store told them. */
  get isHeldUp(): boolean {
    for (const { waitMs, caller } of this.#open) if (waitMs > 0 && caller) return true;
    return false;
  }

  /** What is left of a pause, in milliseconds. */
  get pausedForMs(): number {
    return Math.max(0, this.#pausedUntilMs - this.#settings.runtime.now());
  }

  /** A caller comes. Settles as `Budget.acquire` does. */
  join(wait: Omit<BudgetWait, "cost" | "deadlineMs">): Promise<Granted> {
    const { name, runtime, acquireTimeoutMs } = this.#settings;
    // A caller that waited for a slot may come after the end.
    if (this.#closed) throw stoppedError(name, "was stopped");
    const deadlineMs = runtime.now() + (wait.timeoutMs ?? acquireTimeoutMs ?? Number.POSITIVE_INFINITY);
    const joined = this.#queue.join({ ...wait, cost: 1, deadlineMs });
    this.#serve();
    return joined;
  }

  /** Asks once for a reservation that begins now. While callers of its priority wait there is none. */
  attempt(wait: Omit<BudgetWait, "cost" | "deadlineMs">): Promise<Granted | NotNow> {
    return this.#asking(this.#attempt(wait));
  }

  async #attempt(wait: Omit<BudgetWait, "cost" | "deadlineMs">): Promise<Granted | NotNow> {
    const { runtime, latenessMs } = this.#settings;
    for (const { want } of this.#order) {
      if (want.priority < wait.priority) break;
      if (this.isHeldUp) this.#tally.heldUp();
      return this.#notNow(this.#restMs([...this.#open][0]) ?? 0, undefined);
    }
    const reservation = reservationOf(this.#settings, wait, 0);
    const { id, costs: reserved } = reservation;
    const knownPauseMs = this.#pausedUntilMs;
    try {
      const { answer, sentMs, receivedMs } = await this.#client.reserve(reservation);
      const { granted, waitMs, limitedBy } = answer;
      this.limitedBy = limitedBy;
      if (!granted) {
        this.#tally.heldUp();
        return this.#notNow(waitMs, limitedBy);
      }
      if (this.#isPausedSince(knownPauseMs, receivedMs)) {
        this.#cancel(id);
        this.#tally.heldUp();
        return this.#notNow(this.pausedForMs, PAUSE);
      }
      if (receivedMs - sentMs <= latenessMs && !wait.signal?.aborted && !this.#closed)
        return { id, reserved, lateMs: runtime.now() - receivedMs, limitedBy, waitMs };
      this.#cancel(id);
      wait.signal?.throwIfAborted();
      return this.#notNow(0, undefined);
    } catch (error) {
      if (mayHaveTakenEffect(error)) this.#cancel(id);
      throw error;
    }
  }

  /** Nothing begins before this local time. Instants before it are given up. */
  pause(untilMs: number): void {
    this.#client.pause(untilMs);
    this.#paused(untilMs);
  }

  /**
   * Refuses the callers that wait, and gives up their reservations. Resolves once those that were under way are given
   * up as well.
   */
  async close(error: unknown): Promise<void> {
    this.#closed = true;
    this.#company?.cancel();
    this.#look?.cancel();
    for (const { timer } of this.#open) timer?.cancel();
    this.#queue.failAll(error);
    for (const open of [...this.#open]) open.caller?.fail(error);
    await Promise.allSettled(this.#asked);
  }

  /** Reserves for the next callers, as far as this process may wait in the fleet's line. */
  #serve(): void {
    if (this.#closed || this.#isGivingBack) return;
    for (let next = this.#next(); next; next = this.#next()) {
      this.#queue.take(next);
      this.#order.serve(next);
      void this.#asking(this.#reserve(next));
    }
  }

  async #asking<T>(asked: Promise<T>): Promise<T> {
    this.#asked.add(asked);
    try {
      return await asked;
    } finally {
      this.#asked.delete(asked);
    }
  }

  #next(): Caller | undefined {
    let looked = 0;
    for (const caller of this.#order) {
      if (caller.want.signal?.aborted) continue;
      if (this.#mayReserve(caller)) return caller;
      looked += 1;
      if (looked === MOST_LOOKED_AT) return undefined;
    }
    return undefined;
  }

  #mayReserve({ want }: Caller): boolean {
    const { maxAhead } = this.#settings;
    const ahead = [...this.#open].filter(({ priority }) => priority >= want.priority);
    const before = ahead.filter((open) => holdsUp(open, want.units)).length;
    if (before === 0) return true;
    const isLimited = ahead.some((open) => open.life && holdsUp(open, want.units));
    if (before >= (isLimited ? maxAhead : this.#underWay)) return false;
    const isScarce = isLimited || this.#underWay <= maxAhead;
    if (!isScarce || this.#client.hasPending || this.#alone) return true;
    this.#waitForCompany();
    return false;
  }

  #waitForCompany(): void {
    this.#company ??= this.#settings.runtime.setTimer(() => this.#goAlone(), COMPANY_MS, { keepAlive: false });
  }

  #goAlone(): void {
    this.#company = undefined;
    this.#alone = true;
    this.#serve();
    this.#alone = false;
  }

  async #reserve(caller: Caller): Promise<void> {
    const { want } = caller;
    const { priority, tier, units } = want;
    const reservation = reservationOf(this.#settings, want, want.deadlineMs - this.#settings.runtime.now());
    const knownPauseMs = this.#pausedUntilMs;
    const open: OpenReservation = { id: reservation.id, priority, tier, units, caller, waitMs: 0, knownPauseMs };
    this.#open.add(open);
    try {
      this.#hold(open, await this.#client.reserve(reservation));
    } catch (error) {
      this.#open.delete(open);
      if (mayHaveTakenEffect(error)) this.#cancel(open.id);
      // An outage concerns every caller that waits.
      open.caller?.fail(error);
      this.#queue.failAll(error);
    }
    this.#serve();
  }

  #hold(open: OpenReservation, { answer, sentMs, receivedMs }: TimedAnswer): void {
    const { granted, waitMs, limitedBy, atMs, storeTimeMs } = answer;
    const { latenessMs, maxAhead } = this.#settings;
    this.#underWay = waitMs > 0 ? maxAhead : Math.min(MOST_UNDER_WAY, this.#underWay + 1);
    open.waitMs = waitMs;
    open.limitedBy = limitedBy;
    this.limitedBy = limitedBy;
    if (!granted || waitMs > 0) this.#tally.heldUp();
    if (!granted && answer.maxes && open.caller && open.caller.want.deadlineMs > receivedMs + waitMs) {
      this.#comeBack(open);
      return;
    }
    if (!granted) {
      this.#open.delete(open);
      // Its error names the limit.
      const { caller } = open;
      caller?.fail(
        notInTime(this.#settings, caller.want.timeoutMs ?? this.#settings.acquireTimeoutMs, waitMs, limitedBy),
      );
      return;
    }
    const delayMs = atMs - storeTimeMs;
    open.life = { dueMs: receivedMs + delayMs, expiresMs: sentMs + delayMs + latenessMs };
    if (waitMs > 0 && this.#events.has("limited"))
      this.#events.emit("limited", { limitedBy: limitName(this.#settings, limitedBy), waitMs });
    if (this.#isPausedSince(open.knownPauseMs, open.life.dueMs) || (waitMs > 0 && this.#isTooMany(open))) {
      this.#giveBack(open);
      return;
    }
    if (open.caller === undefined) this.#handOver(open);
    if (this.#open.has(open)) this.#wait(open);
  }

  /** Nothing is reserved so far ahead, or the cost is more than a limit. The caller asks anew, in its place. */
  #comeBack(open: OpenReservation): void {
    const { runtime } = this.#settings;
    const ask = (): void => {
      this.#open.delete(open);
      if (open.caller && !this.#closed) this.#putBack(open.caller);
      this.#serve();
    };
    const forMs = Math.min(LOOK_MS, Math.max(1, open.waitMs)) * (1 + runtime.random() / 10);
    open.timer = runtime.setTimer(ask, forMs, { keepAlive: false });
  }

  /** Looks whether other limits are in force, while reservations wait. */
  #lookSoon(): void {
    if (!this.#settings.stored || this.#look || this.#closed) return;
    const look = async (): Promise<void> => {
      if ([...this.#open].some(({ life }) => life)) await this.#client.look().catch(() => undefined);
      this.#look = undefined;
      if ([...this.#open].some(({ life }) => life)) this.#lookSoon();
    };
    this.#look = this.#settings.runtime.setTimer(() => void this.#asking(look()), LOOK_MS, { keepAlive: false });
  }

  /** True where this process has as many reservations in the line before this one as it may have. */
  #isTooMany({ priority, units, ...open }: OpenReservation): boolean {
    const inLine = [...this.#open].filter(
      (other) => other.id !== open.id && other.life && other.priority >= priority && holdsUp(other, units),
    );
    return inLine.length >= this.#settings.maxAhead;
  }

  /** The caller reserves anew, in its turn. */
  #giveBack(open: OpenReservation): void {
    const { caller } = open;
    open.caller = undefined;
    if (caller) this.#putBack(caller);
    this.#giveUp(open);
  }

  /** Of the reservations that are granted; their callers come first again, in the order in which they were. */
  #giveBackAll(isMeant: (life: NonNullable<OpenReservation["life"]>) => boolean): void {
    this.#isGivingBack = true;
    for (const open of [...this.#open].reverse()) if (open.life && isMeant(open.life)) this.#giveBack(open);
    this.#isGivingBack = false;
    this.#serve();
  }

  #wait(open: OpenReservation): void {
    const { runtime } = this.#settings;
    const restMs = (open.life?.dueMs ?? 0) - runtime.now();
    if (restMs > LOOK_MS) this.#lookSoon();
    if (restMs <= 0) this.#begin(open);
    else open.timer = runtime.setTimer(() => this.#wait(open), restMs, { keepAlive: false });
  }

  /**
   * The instant has come. A caller that is woken too late reserves anew; after the machine was suspended, every caller:
   * the local clock stood still meanwhile.
   */
  #begin(open: OpenReservation): void {
    if (this.#sleep.noticed()) {
      this.#giveBackAll(() => true);
      return;
    }
    const { runtime } = this.#settings;
    const { id, caller, units: reserved, limitedBy, waitMs, life = { dueMs: 0, expiresMs: 0 } } = open;
    const nowMs = runtime.now();
    this.#open.delete(open);
    // Those behind it have waited as well.
    if (waitMs > 0) this.#tally.heldUp();
    if (caller && nowMs <= life.expiresMs) {
      caller.answer({ id, reserved, lateMs: nowMs - life.dueMs, limitedBy, waitMs });
    } else {
      this.#cancel(id);
      this.wasted += 1;
      if (this.#events.has("wasted")) this.#events.emit("wasted", { lateMs: nowMs - life.dueMs });
      if (caller) this.#again(caller);
    }
    this.#serve();
  }

  #again(caller: Caller): void {
    const wasted = (this.#wasted.get(caller) ?? 0) + 1;
    this.#wasted.set(caller, wasted);
    if (wasted >= MOST_WASTED) caller.fail(slowStore(this.#settings, wasted));
    else this.#putBack(caller);
  }

  #putBack(caller: Caller): void {
    this.#queue.putBack(caller);
    this.#order.putBack(caller);
  }

  /** A caller has left. Its reservation goes to the next that may use it, or back to the store. */
  #left(caller: Caller): void {
    this.#order.remove(caller);
    for (const open of this.#open) {
      if (open.caller !== caller) continue;
      open.caller = undefined;
      if (open.life) this.#handOver(open);
      return;
    }
  }

  #handOver(open: OpenReservation): void {
    let looked = 0;
    for (const caller of this.#order) {
      if (!this.#closed && mayUse(caller, open)) {
        this.#queue.take(caller);
        this.#order.serve(caller);
        open.caller = caller;
        return;
      }
      looked += 1;
      if (looked === MOST_LOOKED_AT) break;
    }
    this.#giveUp(open);
  }

  #giveUp(open: OpenReservation): void {
    open.timer?.cancel();
    this.#open.delete(open);
    this.#cancel(open.id);
  }

  /** The call is not made: all of its cost goes back. */
  #cancel(id: string): void {
    this.#client.settle({ id, costs: this.#settings.limits.map(() => 0), measured: false });
  }

  #notNow(retryAfterMs: number, limitedBy: number | undefined): NotNow {
    return { retryAfterMs, limitedBy: limitName(this.#settings, limitedBy) };
  }

  #answered({ answer, receivedMs }: TimedAnswer): void {
    this.rests = answer.rests;
    if (answer.pausedForMs > 0) this.#paused(receivedMs + answer.pausedForMs);
  }

  /** Instants that are held ahead and lie before the end of the pause are given up; their callers reserve anew. */
  #paused(untilMs: number): void {
    const { runtime, latenessMs } = this.#settings;
    if (untilMs <= this.#pausedUntilMs + latenessMs) return;
    this.#pausedUntilMs = untilMs;
    if (this.#events.has("paused")) this.#events.emit("paused", { forMs: untilMs - runtime.now() });
    this.#giveBackAll(({ dueMs }) => dueMs < untilMs - latenessMs);
  }

  /**
   * True where an instant lies in a pause that became known while the store was asked for it: its answer knew of none.
   */
  #isPausedSince(knownPauseMs: number, dueMs: number): boolean {
    return this.#pausedUntilMs > knownPauseMs && dueMs < this.#pausedUntilMs - this.#settings.latenessMs;
  }

  /** How long a reservation still has to wait, in milliseconds; undefined where that is not known. */
  #restMs(open: OpenReservation | undefined): number | undefined {
    return open?.life && Math.max(0, open.life.dueMs - this.#settings.runtime.now());
  }
}

/** False only for an error that reports that it had no effect. */
function mayHaveTakenEffect(error: unknown): boolean {
  return !isDtError(error) || error.effect === "unknown";
}
