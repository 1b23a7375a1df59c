import {
  createGuard,
  createRetryBudget,
  type Ended,
  type Guard,
  type Passage,
  type RetryBudget,
  type Verdict,
} from "@dt/adaptive";
import { DtError } from "@dt/core";
import { describe, type Events } from "@dt/core/kit";
import type { Left } from "../fields/left.ts";
import type { DeclaredPolicy } from "../fields/policies.ts";
import { toldBy } from "../fields/told.ts";
import type { HttpClientEvents } from "./events.ts";
import type { HttpClientSettings, OutgoingRequest, PerCallee } from "./options.ts";

/** An answer, as far as its head tells. */
export interface Head {
  readonly status: number;
  readonly headers: unknown;
}

/** What a client knows of a callee, as data. */
export interface CalleeStatus {
  readonly callee: string;
  /** How much longer nothing is sent, in milliseconds. */
  readonly pausedForMs: number;
  /** Requests that wait to go out. */
  readonly waiting: number;
  /** Requests that went out and whose answer has not ended. */
  readonly inflight: number;
  /** Requests that went out so far, each attempt for itself. */
  readonly sent: number;
  /** What the last answer that said so said is left of its limits. */
  readonly left: readonly Left[];
  /** The limits that it declared. */
  readonly policies: readonly DeclaredPolicy[];
  /** Fields of answers that made no sense, and were ignored. */
  readonly malformed: number;
}

/** Whoever pauses together: by default all requests of the process to one origin. */
export class Callee {
  readonly name: string;
  /** Undefined where nothing is tried again. */
  readonly retry: RetryBudget | undefined;
  readonly #settings: HttpClientSettings;
  readonly #events: Events<HttpClientEvents>;
  readonly #guard: Guard;
  #left: readonly Left[] = [];
  #policies: readonly DeclaredPolicy[] = [];
  #malformed = 0;

  constructor(name: string, settings: HttpClientSettings, events: Events<HttpClientEvents>) {
    const { throttle, pacer, limit, rejection, maxPauseMs, runtime } = settings;
    this.name = name;
    this.#settings = settings;
    this.#events = events;
    const own = <Part>(part: PerCallee<Part> | undefined): Part | undefined =>
      typeof part === "function" ? (part as (callee: string) => Part | undefined)(name) : part;
    const parts = { throttle: own(throttle), pacer: own(pacer), limit: own(limit), rejection: own(rejection) };
    this.#guard = createGuard({
      ...Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)),
      name,
      maxPause: maxPauseMs,
      runtime,
    });
    this.retry = this.#budget();
  }

  get idle(): boolean {
    const { waiting, inflight, pausedForMs } = this.#guard.status();
    return waiting === 0 && inflight === 0 && pausedForMs === 0;
  }

  /**
   * Waits until a request may go out. Whoever gets a passage sends at once.
   * Rejects with the signal's reason, and with a DtError: `DT_ACQUIRE_TIMEOUT`, `DT_THROTTLED`, `DT_STOPPED`, or what the parts reject with.
   */
  async enter(request: OutgoingRequest, signal: AbortSignal | undefined): Promise<Passage> {
    const { cost, priority, maxWaitMs, runtime } = this.#settings;
    const untilMs = runtime.now() + maxWaitMs;
    for (;;) {
      const passage = await this.#guard.enter({
        cost: typeof cost === "function" ? cost(request) : cost,
        priority: typeof priority === "function" ? priority(request) : priority,
        timeout: Math.max(0, untilMs - runtime.now()),
        signal,
      });
      if (passage === undefined) throw this.#timeoutError();
      // Another answer may have begun a pause between the guard's word and now.
      if (this.#guard.status().pausedForMs === 0) return passage;
      passage[Symbol.dispose]();
    }
  }

  /** Hears the head of an answer: a pause begins at once, for everybody. Returns what the answer means. */
  heard(head: Head): Verdict {
    const { pauseMs, by, left, policies, malformed } = toldBy(head.status, head.headers);
    if (left.length > 0) this.#left = left;
    if (policies.length > 0) this.#policies = policies;
    this.#malformed += malformed.length;
    if (this.#events.has("malformed"))
      for (const field of malformed) this.#events.emit("malformed", { callee: this.name, field });
    if (pauseMs !== undefined && by !== undefined && pauseMs > 0) {
      const forMs = Math.min(pauseMs, this.#settings.maxPauseMs);
      this.#guard.pause(forMs);
      if (this.#events.has("paused"))
        this.#events.emit("paused", { callee: this.name, by, askedMs: pauseMs, forMs, status: head.status });
    }
    return this.means({ value: head });
  }

  /** What it means that a request ended so. A pause is no part of it: it has begun already. */
  means(ended: Ended): Verdict {
    const { outcome, report } = this.#settings.classify(ended);
    return { outcome, report };
  }

  /** @throws DtError `DT_INVALID_OPTION` */
  pause(ms: number): void {
    this.#guard.pause(ms);
  }

  stop(): void {
    this.#guard.stop();
  }

  status(): CalleeStatus {
    const { pausedForMs, waiting, inflight, entered } = this.#guard.status();
    return {
      callee: this.name,
      pausedForMs,
      waiting,
      inflight,
      sent: entered,
      left: this.#left,
      policies: this.#policies,
      malformed: this.#malformed,
    };
  }

  #budget(): RetryBudget | undefined {
    const { retry, classify, runtime } = this.#settings;
    if (retry === false) return undefined;
    if (typeof retry === "function") return retry(this.name);
    if ("run" in retry) return retry;
    return createRetryBudget({ name: this.name, classify, runtime, ...retry });
  }

  #timeoutError(): DtError {
    const { pausedForMs } = this.#guard.status();
    const why = pausedForMs > 0 ? `it is paused for another ${Math.ceil(pausedForMs)} ms` : "others come first";
    return new DtError(
      "DT_ACQUIRE_TIMEOUT",
      `no request to ${describe(this.name)} could go out within maxWait (${this.#settings.maxWaitMs} ms): ${why}; try again later, or raise maxWait`,
      pausedForMs > 0 ? { retryAfterMs: pausedForMs } : {},
    );
  }
}
