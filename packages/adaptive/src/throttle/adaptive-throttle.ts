import { DtError, type Listener } from "@dt/core";
import { type AnyMethod, checkCall, Events, type Wrapped } from "@dt/core/internal";
import { type Call, ToldCall } from "../outcome/call.ts";
import type { Outcome } from "../outcome/outcome.ts";
import { runCall } from "../outcome/run.ts";
import {
  type AdaptiveThrottleOptions,
  type AdaptiveThrottleSettings,
  checkAdaptiveThrottle,
} from "./adaptive-throttle-options.ts";
import { type Counted, type Counts, ResettingCounts, SlidingCounts } from "./counts.ts";
import { probabilityOf } from "./rejection.ts";

/** What happens at an adaptive throttle. Each is published as well, as docs/events.md says. */
export interface AdaptiveThrottleEvents {
  /** A call was not made. */
  readonly reject: { readonly probability: number };
  /** A call was made that chance would have refused: to see whether the callee is back. */
  readonly probe: { readonly probability: number };
}

/** An adaptive throttle at one instant, as data. */
export interface AdaptiveThrottleStatus {
  readonly name: string;
  /** The probability with which the next call is not made. */
  readonly probability: number;
  /** All that was counted, calls not made included. */
  readonly requests: number;
  /** Calls that the callee took and that succeeded. */
  readonly successes: number;
  /** Calls that failed for other reasons than overload. */
  readonly failures: number;
  /** Calls that the callee refused, or did not answer in time. */
  readonly overloads: number;
  /** Calls that were not made. */
  readonly rejects: number;
  /** Calls made whose end is not known yet. */
  readonly inflight: number;
}

const COUNTED_AS: Readonly<Record<Exclude<Outcome, "ignored">, Counted>> = {
  success: "successes",
  failure: "failures",
  overload: "overloads",
};

/**
 * Makes fewer calls the more of them the callee refuses, so that it is not kept busy with refusing: each with a
 * probability that follows from what became of the last ones. Nobody waits here: a call is made at once or not at all.
 * Made by {@link createAdaptiveThrottle}.
 */
export class AdaptiveThrottle {
  readonly name: string;
  readonly #settings: AdaptiveThrottleSettings;
  readonly #recent: Counts;
  readonly #long: Counts | undefined;
  readonly #events: Events<AdaptiveThrottleEvents>;
  #inflight = 0;
  /** Calls not made since the last one that was. */
  #rejectsInARow = 0;

  /** Use {@link createAdaptiveThrottle}. */
  constructor(settings: AdaptiveThrottleSettings) {
    const { name, resetMs, windowMs, longWindowMs, runtime } = settings;
    this.name = name;
    this.#settings = settings;
    this.#recent = resetMs === undefined ? new SlidingCounts(windowMs) : new ResettingCounts(resetMs, runtime.now());
    if (resetMs === undefined) this.#long = new SlidingCounts(longWindowMs);
    this.#events = new Events<AdaptiveThrottleEvents>("adaptiveThrottle", { reject: true, probe: true }, { name });
  }

  /** A call that may be made, to be told how it ended; or undefined when it is not to be made. Synchronous, no I/O. */
  tryAcquire(): Call | undefined {
    return this.#admit(this.#probability());
  }

  /**
   * The same as {@link tryAcquire}, for those who want the refusal as an error.
   * @throws DtError `DT_THROTTLED` with the probability
   */
  begin(): Call {
    const probability = this.#probability();
    const call = this.#admit(probability);
    if (call === undefined) throw throttledError(probability);
    return call;
  }

  /**
   * Turns a function into one whose calls are made or refused: refused ones reject with `DT_THROTTLED`, and the
   * function is not called. `classify` says how the others ended.
   * @throws DtError `DT_INVALID_OPTION` when it is not a function
   */
  wrap<F extends AnyMethod>(fn: F): Wrapped<F> {
    checkCall("wrap", fn);
    const throttle = this;
    async function wrapped(this: unknown, ...args: unknown[]): Promise<unknown> {
      return runCall(throttle.begin(), throttle.#settings.classify, () => fn.apply(this, args));
    }
    Object.defineProperty(wrapped, "name", { value: fn.name, configurable: true });
    return wrapped as Wrapped<F>;
  }

  /**
   * Listens to an event; returns a function that ends it. Events cost nothing while nobody listens.
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   */
  on<E extends keyof AdaptiveThrottleEvents>(name: E, listener: Listener<AdaptiveThrottleEvents[E]>): () => void {
    return this.#events.on(name, listener);
  }

  /** What is going on, as data. */
  status(): AdaptiveThrottleStatus {
    const probability = this.#probability();
    const { tally, total } = this.#counts;
    return { name: this.name, probability, requests: total, ...tally, inflight: this.#inflight };
  }

  /** The counts that decide: the recent ones where they are enough. */
  get #counts(): Counts {
    const { minRequests } = this.#settings;
    return this.#long !== undefined && this.#recent.total < minRequests ? this.#long : this.#recent;
  }

  #probability(): number {
    const { runtime, minRequests, k } = this.#settings;
    const nowMs = runtime.now();
    this.#recent.advance(nowMs);
    this.#long?.advance(nowMs);
    const { tally, total } = this.#counts;
    return total < minRequests ? 0 : probabilityOf(tally, k);
  }

  #admit(probability: number): Call | undefined {
    const { runtime, probeEvery } = this.#settings;
    if (probability > 0 && runtime.random() < probability) {
      this.#rejectsInARow += 1;
      if (this.#rejectsInARow < probeEvery) {
        this.#count("rejects");
        if (this.#events.has("reject")) this.#events.emit("reject", { probability });
        return undefined;
      }
      if (this.#events.has("probe")) this.#events.emit("probe", { probability });
    }
    this.#rejectsInARow = 0;
    this.#inflight += 1;
    // A refusal comes soon, an answer may take a minute: a call that is not refused counts as taken from its beginning.
    this.#count("successes");
    return new ToldCall((outcome) => this.#settled(outcome));
  }

  #settled(outcome: Outcome): void {
    this.#inflight -= 1;
    if (outcome === "success") return;
    const nowMs = this.#settings.runtime.now();
    this.#recent.advance(nowMs);
    this.#long?.advance(nowMs);
    this.#count("successes", -1);
    if (outcome !== "ignored") this.#count(COUNTED_AS[outcome]);
  }

  #count(kind: Counted, by?: 1 | -1): void {
    this.#recent.add(kind, by);
    this.#long?.add(kind, by);
  }
}

function throttledError(probability: number): DtError {
  return new DtError("DT_THROTTLED", `Throttled by Client. Request rejection probability: ${probability}`);
}

/**
 * Creates a throttle that makes fewer calls the more of them the callee refuses. It needs no start and no stop.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function createAdaptiveThrottle(options: AdaptiveThrottleOptions = {}): AdaptiveThrottle {
  return new AdaptiveThrottle(checkAdaptiveThrottle(options));
}
