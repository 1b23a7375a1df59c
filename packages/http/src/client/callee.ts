import {
  type AnswerReport,
  createGuard,
  createRetryBudget,
  type DeclaredPolicy,
  type Ended,
  type Guard,
  type Left,
  type RetryBudget,
  type Verdict,
  verdictOf,
} from "@dt/adaptive";
import { DtError, isDtError } from "@dt/core";
import { checkVersion, describe, type Events } from "@dt/core/internal";
import type { HttpClientEvents } from "./events.ts";
import type { HttpClientSettings, OutgoingRequest, PerCallee } from "./options.ts";
import { RequestsInFlight } from "./requests-in-flight.ts";
import { SendRight, type Unread } from "./send-right.ts";

/** An answer, as far as its head tells. */
export interface Head {
  readonly status: number;
  readonly headers: unknown;
}

/** What a client knows of a callee, as data. */
export interface CalleeStatus {
  /** The callee's name: scheme, host and port, unless `calleeOf` gives another. */
  readonly callee: string;
  /** How much longer nothing is sent, in milliseconds. */
  readonly pausedForMs: number;
  /** Requests that wait to go out. */
  readonly waiting: number;
  /** Requests that went out and whose answer has not ended. */
  readonly inflight: number;
  /** Of those, answers whose body is not read. Each holds its slots of the limit and the semaphore. */
  readonly unread: number;
  /** Requests that went out so far, each attempt for itself. */
  readonly sent: number;
  /** Answers so far in which it refused a request: 429, 503, 529, and other 4xx that ask for a wait. */
  readonly refused: number;
  /** The rest of its limits, by the last answer that reported it. */
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
  readonly #requestsInFlight: RequestsInFlight;
  readonly #unread: Unread = { count: 0 };
  #left: readonly Left[] = [];
  #policies: readonly DeclaredPolicy[] = [];
  #refused = 0;
  #malformed = 0;

  constructor(name: string, settings: HttpClientSettings, events: Events<HttpClientEvents>) {
    const { maxPauseMs, refusalPauseMs, maxWaiters, runtime } = settings;
    this.name = name;
    this.#settings = settings;
    this.#events = events;
    const own = <Part>(part: PerCallee<Part> | undefined): Part | undefined =>
      typeof part === "function" ? (part as (callee: string) => Part | undefined)(name) : part;
    const parts = {
      throttle: own(settings.throttle),
      pacer: own(settings.pacer),
      limit: own(settings.limit),
      semaphore: own(settings.semaphore),
      rejection: own(settings.rejection),
      alsoPause: own(settings.alsoPause),
    };
    this.#guard = createGuard({
      ...Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)),
      name,
      maxPause: maxPauseMs,
      refusalPause: refusalPauseMs,
      maxWaiters,
      runtime,
    });
    this.#requestsInFlight = new RequestsInFlight(name, maxWaiters, runtime);
    this.retry = this.#budget();
  }

  get idle(): boolean {
    const { waiting, inflight, pausedForMs } = this.#guard.status();
    return this.#requestsInFlight.waiting === 0 && waiting === 0 && inflight === 0 && pausedForMs === 0;
  }

  /**
   * Waits until a request may go out, and sends it at that moment. Settles as `send` does.
   * Rejects with the signal's reason, and with a DtError: `DT_TIMEOUT`, `DT_LIMITED`, `DT_STOPPED`, or what
   * the parts reject with.
   */
  async enter<Value>(
    request: OutgoingRequest,
    signal: AbortSignal | undefined,
    send: (right: SendRight) => Promise<Value>,
  ): Promise<Value> {
    const { cost, priority, acquireTimeoutMs, runtime } = this.#settings;
    const untilMs = runtime.now() + acquireTimeoutMs;
    const restMs = (): number => Math.max(0, untilMs - runtime.now());
    signal?.throwIfAborted();
    const waited = this.#requestsInFlight.enter({ timeoutMs: restMs(), signal });
    if (waited !== true) await this.#inTime(waited);
    let right: SendRight | undefined;
    try {
      const want = {
        cost: typeof cost === "function" ? cost(request) : cost,
        priority: typeof priority === "function" ? priority(request) : priority,
      };
      for (;;) {
        const passage = await this.#inTime(
          this.#guard.acquire(want.cost, { priority: want.priority, signal, timeout: restMs() }),
        );
        // It may have been given up between the guard's word and now; whoever sends hears only of what comes later.
        if (signal?.aborted) {
          passage[Symbol.dispose]();
          throw signal.reason;
        }
        if (this.#guard.status().pausedForMs === 0) {
          right = new SendRight(passage, this.#requestsInFlight, this.#unread);
          break;
        }
        // Another answer has begun a pause between the guard's word and now.
        passage[Symbol.dispose]();
      }
    } finally {
      if (right === undefined) this.#requestsInFlight.answered();
    }
    // Nothing is awaited since the last look at the pause.
    return send(right);
  }

  /** Receives the head of an answer: a pause begins at once, for all requests. Returns what the answer means. */
  receiveHead(right: SendRight, head: Head): Verdict {
    const { reader, classify, usual, maxPauseMs, sharePauses } = this.#settings;
    const answer = reader.read({ status: head.status, headers: head.headers, source: head });
    this.#note(answer);
    const reported = verdictOf(answer);
    const verdict = usual ? reported : classify({ value: head });
    // What a callee reports holds whatever the call counts as; a classifier may know more.
    const retryAfterMs = longest(reported.retryAfterMs, verdict.retryAfterMs);
    const { outcome } = verdict;
    const refused = outcome === "overload" && (reported.refused || verdict.refused || false);
    if (refused) this.#refused += 1;
    const forMs = right.reportHead({ outcome, retryAfterMs, refused });
    // Only a wait that was stated: a guess is this client's alone.
    if (sharePauses && retryAfterMs !== undefined && (reported.refused || verdict.refused))
      this.#guard.pauseUntil(`${Math.ceil(forMs)}ms`);
    if (forMs > 0) {
      const by =
        retryAfterMs === undefined ? "refusal" : (retryAfterMs === reported.retryAfterMs && answer.by) || "classify";
      this.#paused({ by, askedMs: retryAfterMs ?? forMs, forMs, status: head.status });
    }
    this.#requestsInFlight.received(
      { left: answer.left, pauseMs: retryAfterMs ?? (forMs || undefined), refused },
      { longestMs: maxPauseMs, pausedForMs: this.#guard.status().pausedForMs },
    );
    right.answered();
    return { outcome, report: verdict.report };
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

  /** What it said is forgotten, and nothing holds it in memory any more; a request that waits for a retry may. */
  forget(): void {
    this.#requestsInFlight.forget();
  }

  /** Never rejects. */
  async stop(): Promise<void> {
    this.#requestsInFlight.stop(new DtError("DT_STOPPED", "the HTTP client was stopped; create a new one"));
    await this.#guard.stop();
  }

  status(): CalleeStatus {
    const { pausedForMs, waiting, inflight, calls } = this.#guard.status();
    return {
      callee: this.name,
      pausedForMs,
      // Whoever waits in the queue is not at the guard yet.
      waiting: waiting + this.#requestsInFlight.waiting,
      inflight,
      unread: this.#unread.count,
      sent: calls.granted,
      refused: this.#refused,
      left: this.#left,
      policies: this.#policies,
      malformed: this.#malformed,
    };
  }

  #note({ left, policies, malformed }: AnswerReport): void {
    if (left.length > 0) this.#left = left;
    if (policies.length > 0) this.#policies = policies;
    this.#malformed += malformed.length;
    if (this.#events.has("malformed"))
      for (const field of malformed) this.#events.emit("malformed", { callee: this.name, field });
  }

  #paused(pause: Omit<HttpClientEvents["paused"], "callee">): void {
    if (this.#events.has("paused")) this.#events.emit("paused", { callee: this.name, ...pause });
  }

  #budget(): RetryBudget | undefined {
    const { retry, classify, refusalPauseMs, runtime } = this.#settings;
    if (retry === false) return undefined;
    if (typeof retry === "function") {
      const budget = retry(this.name);
      checkVersion("retry", budget);
      return budget;
    }
    if ("run" in retry) return retry;
    return createRetryBudget({ name: this.name, classify, refusalDelay: refusalPauseMs, runtime, ...retry });
  }

  async #inTime<Value>(waited: Promise<Value>): Promise<Value> {
    try {
      return await waited;
    } catch (error) {
      throw isDtError(error, "DT_TIMEOUT") ? this.#timeoutError(error) : error;
    }
  }

  #timeoutError(cause: DtError): DtError {
    const { pausedForMs } = this.#guard.status();
    const why =
      pausedForMs > 0
        ? `it is paused for another ${Math.ceil(pausedForMs)} ms`
        : this.#unread.count > 0
          ? `${this.#unread.count} slots are held by answers whose body is not read: read each, or cancel it`
          : "others come first";
    return new DtError(
      "DT_TIMEOUT",
      `no request to ${describe(this.name)} could go out within acquireTimeout (${this.#settings.acquireTimeoutMs} ms): ${why}; try again later, or raise acquireTimeout`,
      { cause, ...(pausedForMs > 0 ? { retryAfterMs: pausedForMs } : {}) },
    );
  }
}

function longest(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.max(one, other);
}
