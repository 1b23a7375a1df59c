import type { Listener } from "@dt/core";
import {
  type AnyMethod,
  checkCall,
  checkKeys,
  checkSignal,
  Events,
  elapsed,
  markVersion,
  type Wrapped,
} from "@dt/core/internal";
import { refusalPauseMs } from "../guard/refusals.ts";
import type { Ended } from "../outcome/classify.ts";
import { checkRetryBudget, type RetryBudgetOptions, type RetryBudgetSettings } from "./retry-budget-options.ts";

/**
 * Why a call was not tried again. `retries`: it was tried often enough. `budget`: the budget was empty. `retryAfter`:
 * the callee asked to be left alone for longer than `maxDelay`.
 */
export type GivenUp = "retries" | "budget" | "retryAfter";

/** The events of a retry budget. Each is published as well: docs/events.md has the channels. */
export interface RetryBudgetEvents {
  /** A call is tried again after `delayMs`. */
  readonly retry: { readonly attempt: number; readonly delayMs: number };
  /** A call that did not succeed is not tried again. */
  readonly givenUp: { readonly reason: GivenUp; readonly attempts: number };
}

/** A retry budget at one instant, as data. */
export interface RetryBudgetStatus {
  /** The budget's name. */
  readonly name: string;
  /** Calls under way, waiting for a retry or in one included. */
  readonly inflight: number;
  /** Retries under way: let through, waiting for their time or running. */
  readonly retries: number;
  /** True when one more retry would be let through now. */
  readonly open: boolean;
}

/** Options of one call. */
export interface RetryOptions {
  /**
   * Ends the wait for the next attempt: the call rejects with the signal's reason.
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `wrap`: those of `run`, as values or as functions of the call's arguments. */
export interface RetryWrapOptions<Args extends unknown[] = never> {
  /**
   * Ends the wait for the next attempt: the call rejects with the signal's reason.
   * @default none
   */
  readonly signal?: AbortSignal | undefined | ((...args: Args) => AbortSignal | undefined);
}

const RETRY_OPTIONS: ReadonlySet<string> = new Set<keyof RetryOptions>(["signal"]);

/**
 * Tries calls again that were refused or failed, as long as retries are a small part of all calls. When everything
 * fails, retries would only multiply the load. Use it for calls that may be made twice. Made by
 * {@link createRetryBudget}.
 */
export class RetryBudget {
  static {
    markVersion(RetryBudget.prototype);
  }

  /** The budget's name. */
  readonly name: string;
  readonly #settings: RetryBudgetSettings;
  readonly #events: Events<RetryBudgetEvents>;
  #inflight = 0;
  #retries = 0;

  /** Use {@link createRetryBudget}. */
  constructor(settings: RetryBudgetSettings) {
    this.name = settings.name;
    this.#settings = settings;
    this.#events = new Events<RetryBudgetEvents>("retryBudget", { retry: true, givenUp: true }, { name: this.name });
  }

  /**
   * Makes a call, and makes it again while it ends with `overload` or `failure`, after a random time that grows.
   * Settles as the last attempt did. When the budget is empty it waits as long as it would for a retry, looks once
   * more, and only then gives up. So a caller that tries again by itself is slowed down as well.
   * @param call the function to be called, with the number of the attempt, from 0
   * @param options `signal`
   * @throws DtError `DT_INVALID_OPTION`; the signal's reason
   * @example const answer = await budget.run(() => fetch(url))
   */
  async run<Value>(call: (attempt: number) => Value, options: RetryOptions = {}): Promise<Awaited<Value>> {
    checkCall("call", call);
    checkKeys("options", options, RETRY_OPTIONS);
    const signal = checkSignal(options.signal);
    this.#inflight += 1;
    try {
      for (let attempt = 0; ; attempt++) {
        const ended = await this.#attempt(call, attempt);
        if (!(await this.#again(ended, attempt, signal))) return outcomeOf(ended);
      }
    } finally {
      this.#inflight -= 1;
    }
  }

  /**
   * Turns a function into one whose calls are tried again, as `run` does it.
   * @param fn the function
   * @param options `signal`, as a value or as a function of the call's arguments
   * @throws DtError `DT_INVALID_OPTION`
   * @example const get = budget.wrap((url: string) => fetch(url))
   */
  wrap<F extends AnyMethod>(fn: F, options: RetryWrapOptions<Parameters<F>> = {}): Wrapped<F> {
    checkCall("wrap", fn);
    checkKeys("options", options, RETRY_OPTIONS);
    const { signal } = options;
    if (typeof signal !== "function") checkSignal(signal);
    const budget = this;
    async function wrapped(this: unknown, ...args: unknown[]): Promise<unknown> {
      const ends = typeof signal === "function" ? signal.apply(this, args as Parameters<F>) : signal;
      return budget.run(() => fn.apply(this, args), { signal: ends });
    }
    // A wrapped function keeps its type, so it keeps its properties.
    Object.assign(wrapped, fn);
    for (const name of ["name", "length"] as const)
      Object.defineProperty(wrapped, name, { value: fn[name], configurable: true });
    return wrapped as unknown as Wrapped<F>;
  }

  /**
   * Listens to an event. Events cost nothing without a listener.
   * @param event `"retry"` or `"givenUp"`
   * @param listener the function to be called
   * @returns the function that ends it
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   * @example budget.on("givenUp", ({ reason }) => console.log(reason))
   */
  on<E extends keyof RetryBudgetEvents>(event: E, listener: Listener<RetryBudgetEvents[E]>): () => void {
    return this.#events.on(event, listener);
  }

  /** The budget at this instant, as data. */
  status(): RetryBudgetStatus {
    return { name: this.name, inflight: this.#inflight, retries: this.#retries, open: this.#open };
  }

  get #open(): boolean {
    return this.#settings.budget.allows(this.#retries, Math.max(1, this.#inflight));
  }

  async #attempt<Value>(call: (attempt: number) => Value, attempt: number): Promise<Result<Value>> {
    try {
      return { value: await call(attempt) };
    } catch (error) {
      return { error };
    } finally {
      // Its place among the retries is kept from the moment it was let through to its end.
      if (attempt > 0) this.#retries -= 1;
    }
  }

  /** Answers whether the call is to be made once more, when its time has come. */
  async #again(ended: Ended, attempt: number, signal: AbortSignal | undefined): Promise<boolean> {
    const { classify, budget, retries, maxDelayMs, runtime } = this.#settings;
    const { outcome, refused, retryAfterMs } = classify(ended);
    if (outcome === "ignored") return false;
    budget.ended(outcome === "success");
    if (outcome === "success") return false;
    if (attempt >= retries) return this.#giveUp("retries", attempt);
    if (retryAfterMs !== undefined && retryAfterMs > maxDelayMs) return this.#giveUp("retryAfter", attempt);
    const askedMs = retryAfterMs ?? (refused ? this.#refusalDelay(attempt) : 0);
    const delayMs = Math.max(askedMs, this.#backOff(attempt));
    const early = this.#reserve();
    if (early && this.#events.has("retry")) this.#events.emit("retry", { attempt: attempt + 1, delayMs });
    try {
      await elapsed(runtime, delayMs, signal);
    } catch (error) {
      if (early) this.#retries -= 1;
      throw error;
    }
    if (early || this.#reserve()) return true;
    return this.#giveUp("budget", attempt);
  }

  /** Takes a place among the retries, if there is one: at once, so that no other call takes the same place. */
  #reserve(): boolean {
    if (!this.#open) return false;
    this.#retries += 1;
    return true;
  }

  #giveUp(reason: GivenUp, attempt: number): false {
    if (this.#events.has("givenUp")) this.#events.emit("givenUp", { reason, attempts: attempt + 1 });
    return false;
  }

  /** After a refusal without a readable time. */
  #refusalDelay(attempt: number): number {
    const { refusalDelayMs, maxDelayMs, runtime } = this.#settings;
    return Math.min(maxDelayMs, refusalPauseMs(runtime, refusalDelayMs, attempt));
  }

  /** Anything up to a bound that doubles: callers that failed together do not come back together. */
  #backOff(attempt: number): number {
    const { baseDelayMs, maxDelayMs, runtime } = this.#settings;
    return runtime.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** attempt);
  }
}

type Result<Value> = { readonly value: Awaited<Value> } | { readonly error: unknown };

function outcomeOf<Value>(ended: Result<Value>): Awaited<Value> {
  if ("error" in ended) throw ended.error;
  return ended.value;
}

/**
 * Creates a budget for retries. Calls that share one callee should share one budget.
 * @param options how many retries, and how long they wait
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 * @example
 * const retries = createRetryBudget();
 * const answer = await retries.run(() => fetch(url));
 */
export function createRetryBudget(options: RetryBudgetOptions = {}): RetryBudget {
  return new RetryBudget(checkRetryBudget(options));
}
