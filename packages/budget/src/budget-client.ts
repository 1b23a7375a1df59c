import {
  DtError,
  isDtError,
  type LimitValues,
  type Settlement,
  type SpendAnswer,
  type SpendRequest,
  type Timer,
} from "@dt/core";
import { describe, packageName, withDeadline } from "@dt/core/internal";
import type { LimitSettings } from "./limits.ts";
import type { BudgetSettings } from "./options.ts";
import { Pending } from "./pending.ts";

/** So long what is settled waits for a reservation to travel with, in milliseconds. */
const FLUSH_MS = 100;
/** The longest pause between two tries to settle while the store is away. */
const LONGEST_BACK_OFF_MS = 5_000;

/** An answer, and the local times between which the store gave it. */
export interface TimedAnswer {
  readonly answer: SpendAnswer;
  readonly sentMs: number;
  readonly receivedMs: number;
}

/** One budget at its store. What is settled, stated and paused travels with the next request, or soon by itself. */
export class BudgetClient {
  readonly #settings: BudgetSettings;
  readonly #pending = new Pending();
  readonly #stopped = new AbortController();
  #isSetUp: boolean;
  #flush: Timer | undefined;
  #flushing: Promise<void> | undefined;
  #failures = 0;
  /** Units that were settled so far, of each limit. */
  readonly settledUnits: number[];
  /** Requests sent. */
  sent = 0;
  /** Why the last request failed; undefined after a success. */
  lastError: DtError | undefined;
  /** Called with each answer. */
  onAnswer: (timed: TimedAnswer) => void = () => undefined;
  /** Called where other limits are in force, since they were set in the store: each `max` by its limit's name. */
  onLimits: (from: LimitValues, to: LimitValues) => void = () => undefined;
  /** Called once something new waits to travel. */
  onPending: () => void = () => undefined;
  /** Called with each failure. */
  onError: (error: DtError) => void = () => undefined;
  /** Called with settlements that are given up, since too many wait: their leases stay spent. */
  onLost: (settlements: number) => void = () => undefined;

  constructor(settings: BudgetSettings) {
    this.#settings = settings;
    this.settledUnits = settings.limits.map(() => 0);
    this.#isSetUp = settings.store.setUp === undefined;
  }

  /** True while something waits to travel. */
  get hasPending(): boolean {
    return !this.#pending.empty;
  }

  settle(settlement: Settlement): void {
    const { settledUnits } = this;
    for (const [index, cost] of settlement.costs.entries()) settledUnits[index] = (settledUnits[index] ?? 0) + cost;
    const lost = this.#pending.settle(settlement);
    if (lost > 0) this.onLost(lost);
    this.#flushSoon();
    this.onPending();
  }

  /** A callee states what is left of a limit. */
  state(limit: number, rest: number, resetMs: number): void {
    this.#pending.state({ limit, rest, resetMs });
    this.#flushSoon();
  }

  /** A pause until this local time. It travels at once. */
  pause(untilMs: number): void {
    this.#pending.pause(untilMs);
    this.#flushIn(0);
  }

  /**
   * Sends a reservation, with everything that waits to travel.
   * @throws DtError `DT_PACE_MISMATCH`, and the codes of the store
   */
  async reserve(reserve: NonNullable<SpendRequest["reserve"]>): Promise<TimedAnswer> {
    return this.#send(reserve);
  }

  /** Asks what is in force. */
  async look(): Promise<void> {
    await this.#send(undefined);
  }

  /** Sends what waits to travel; resolves once nothing does, or after this time. */
  async drain(timeoutMs: number): Promise<boolean> {
    const untilMs = this.#settings.runtime.now() + timeoutMs;
    while (!this.#pending.empty && this.#settings.runtime.now() < untilMs && this.#failures < 2) await this.#flushNow();
    return this.#pending.empty;
  }

  /** Ends: nothing is sent any more. */
  stop(): void {
    this.#flush?.cancel();
    this.#flush = undefined;
    this.#stopped.abort();
  }

  /** Later and later while the store is away. */
  #flushSoon(): void {
    this.#flushIn(Math.min(LONGEST_BACK_OFF_MS, FLUSH_MS * 2 ** this.#failures));
  }

  #flushIn(ms: number): void {
    if (this.#stopped.signal.aborted || (this.#flush && ms >= FLUSH_MS)) return;
    this.#flush?.cancel();
    // While the store is away the process may end: what it has settled stays reserved.
    const keepAlive = this.#failures === 0;
    this.#flush = this.#settings.runtime.setTimer(() => void this.#flushNow(), ms, { keepAlive });
  }

  #flushNow(): Promise<void> {
    this.#flushing ??= this.#flushAll().finally(() => {
      this.#flushing = undefined;
      if (!this.#pending.empty) this.#flushSoon();
    });
    return this.#flushing;
  }

  async #flushAll(): Promise<void> {
    this.#flush?.cancel();
    this.#flush = undefined;
    if (!this.#pending.empty) await this.#send(undefined).catch(() => undefined);
  }

  async #send(reserve: SpendRequest["reserve"]): Promise<TimedAnswer> {
    const { runtime, store, name, code, stored, keeps, terms, formerTerms, storeTimeoutMs } = this.#settings;
    if (!this.#isSetUp) await this.#setUp();
    const sentMs = runtime.now();
    const { travels, back } = this.#pending.take(sentMs);
    if (this.#pending.empty) {
      this.#flush?.cancel();
      this.#flush = undefined;
    }
    const request: SpendRequest = {
      limits: code.map(({ name, max, windowMs, burst }) => ({ name, max, windowMs, burst })),
      keeps,
      ...(stored && { stored }),
      ...(reserve && { reserve, terms, ...(formerTerms !== undefined && { formerTerms }) }),
      ...travels,
    };
    const what = `request of the budget ${describe(name)}`;
    try {
      this.sent += 1;
      const answer = await withDeadline((signal) => store.spend(name, request, signal), {
        ...{ runtime, timeoutMs: storeTimeoutMs, what, signal: this.#stopped.signal },
      });
      checkAnswer(answer, request);
      this.#failures = 0;
      this.lastError = undefined;
      const timed = { answer, sentMs, receivedMs: runtime.now() };
      this.#follow(answer);
      this.onAnswer(timed);
      return timed;
    } catch (error) {
      // To settle twice is to settle once, so it travels again whatever became of the request.
      back();
      this.#failures += 1;
      if (!this.#pending.empty) this.#flushSoon();
      throw this.#failed(error);
    }
  }

  /** The limits in force, by an answer of the store (B13). */
  #follow({ maxes }: SpendAnswer): void {
    const { code, limits } = this.#settings;
    const next = code.map((limit, place) => inForce(limit, maxes?.[place] ?? limit.max));
    if (next.every(({ max }, place) => max === limits[place]?.max)) return;
    // All parts of a budget share its settings.
    Object.assign(this.#settings, { limits: next });
    this.onLimits(maxesOf(limits), maxesOf(next));
  }

  async #setUp(): Promise<void> {
    try {
      await this.#settings.store.setUp?.(this.#stopped.signal);
      this.#isSetUp = true;
    } catch (error) {
      this.#failures += 1;
      throw this.#failed(error);
    }
  }

  #failed(error: unknown): DtError {
    const named = isDtError(error)
      ? error
      : new DtError("DT_STORE_UNAVAILABLE", `the store failed: ${String(error)}`, { effect: "unknown", cause: error });
    const known = isDtError(named, "DT_PACE_MISMATCH")
      ? new DtError("DT_PACE_MISMATCH", `budget ${describe(this.#settings.name)}: ${named.message}`, { cause: named })
      : named;
    if (this.#stopped.signal.aborted) return known;
    this.lastError = known;
    this.onError(known);
    return known;
  }
}

/** Its burst stays the same part of it. */
function inForce(limit: LimitSettings, max: number): LimitSettings {
  return max === limit.max ? limit : { ...limit, max, burst: (limit.burst * max) / limit.max };
}

function maxesOf(limits: readonly LimitSettings[]): LimitValues {
  return Object.fromEntries(limits.map(({ name, max }) => [name, max]));
}

/**
 * Refuses an answer that the contract does not allow, before a call waits by it: a ledger is somebody else's code.
 * @throws DtError `DT_STORE_REPLY`
 */
function checkAnswer(answer: SpendAnswer, { limits }: SpendRequest): void {
  const fault = faultOf(answer, limits.length);
  if (fault === undefined) return;
  throw new DtError(
    "DT_STORE_REPLY",
    `the store answered a request of a budget with ${fault}; check the adapter with ${packageName("conformance")}`,
    { effect: "unknown" },
  );
}

function faultOf(answer: SpendAnswer, limits: number): string | undefined {
  if (typeof answer !== "object" || answer === null) return `${String(answer)} instead of an answer`;
  const { granted, atMs, waitMs, limitedBy, pausedForMs, rests, maxes, storeTimeMs } = answer;
  if (typeof granted !== "boolean") return `granted ${String(granted)}`;
  for (const [name, value] of Object.entries({ atMs, waitMs, pausedForMs, storeTimeMs }))
    if (typeof value !== "number" || !Number.isFinite(value)) return `${name} ${String(value)}, which is not a number`;
  if (waitMs < 0 || pausedForMs < 0) return "a wait that is past";
  if (limitedBy !== undefined && !(Number.isInteger(limitedBy) && limitedBy >= -1 && limitedBy < limits))
    return `limitedBy ${String(limitedBy)} of ${limits} limits`;
  if (!Array.isArray(rests) || rests.length !== limits || !rests.every((rest) => Number.isFinite(rest)))
    return `rests that are not ${limits} numbers`;
  if (maxes !== undefined && !(Array.isArray(maxes) && maxes.length === limits && maxes.every((max) => max > 0)))
    return `maxes that are not ${limits} numbers`;
  return undefined;
}
