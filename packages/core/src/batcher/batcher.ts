import type { BucketAnswer, BucketRequest, KeyedLedger } from "../contract/keyed-ledger.ts";
import { DtError, isDtError } from "../errors/dt-error.ts";
import { withDeadline } from "../internal/deadline.ts";
import { checkBucketRequest } from "../keyed/check-bucket-request.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { checkAnswers } from "./check-answers.ts";

/** Requests that travel together. */
const MOST_TOGETHER = 1_000;
/** Calls under way: what comes meanwhile travels together with the next one. */
const MOST_UNDER_WAY = 2;
/** After a call that failed, the first pause and the longest one, in milliseconds. */
const BACK_OFF_MS = 25;
const LONGEST_BACK_OFF_MS = 1_000;

/** An answer, and the local times between which the store gave it. */
export interface TimedAnswer {
  readonly answer: BucketAnswer;
  readonly sentMs: number;
  readonly receivedMs: number;
}

/** One request, made at the moment at which it is sent. */
export interface Ask {
  /** Milliseconds after which it is given up. */
  readonly timeoutMs: number;
  /** The request as of now; undefined where there is nothing to ask any more. */
  request(): BucketRequest | undefined;
  answered(timed: TimedAnswer): void;
  failed(error: DtError): void;
  /** A call to the store goes out with this request. */
  sent(call: object): void;
}

/**
 * All requests of a process to one store. Those of one turn travel together, and so do those that come while as many
 * calls are under way as may be. While the store is away, one call at a time looks whether it is back.
 */
export class Batcher {
  readonly #store: KeyedLedger;
  readonly #runtime: Runtime;
  #queue: Ask[] = [];
  #underWay = 0;
  #isScheduled = false;
  #isSetUp: boolean;
  #failures = 0;
  #error: DtError | undefined;
  #lostUntilMs = 0;

  constructor(store: KeyedLedger, runtime: Runtime) {
    this.#store = store;
    this.#runtime = runtime;
    this.#isSetUp = store.setUp === undefined;
  }

  /** Why the last call failed, as long as none has succeeded since. */
  get error(): DtError | undefined {
    return this.#error;
  }

  ask(ask: Ask): void {
    if (this.#error && (this.#underWay > 0 || this.#runtime.now() < this.#lostUntilMs)) {
      const error = this.#error;
      queueMicrotask(() => ask.failed(error));
      return;
    }
    this.#queue.push(ask);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#underWay >= MOST_UNDER_WAY) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      while (this.#queue.length > 0 && this.#underWay < MOST_UNDER_WAY) void this.#send();
    });
  }

  async #send(): Promise<void> {
    const asks: Ask[] = [];
    const requests: BucketRequest[] = [];
    const taken = this.#queue.splice(0, MOST_TOGETHER);
    const call = {};
    let timeoutMs = 0;
    for (const ask of taken) {
      const request = requestOf(ask);
      if (!request) continue;
      asks.push(ask);
      requests.push(request);
      timeoutMs = Math.max(timeoutMs, ask.timeoutMs);
      ask.sent(call);
    }
    if (asks.length === 0) return;
    this.#underWay += 1;
    try {
      const { sentMs, answers } = await this.#take(requests, timeoutMs);
      this.#failures = 0;
      this.#error = undefined;
      const receivedMs = this.#runtime.now();
      for (const [index, ask] of asks.entries()) settle(ask, answers[index] as BucketAnswer, sentMs, receivedMs);
    } catch (error) {
      this.#lost(error, asks);
    } finally {
      this.#underWay -= 1;
      if (this.#queue.length > 0) this.#schedule();
    }
  }

  async #take(
    requests: readonly BucketRequest[],
    timeoutMs: number,
  ): Promise<{ sentMs: number; answers: readonly (BucketAnswer | DtError)[] }> {
    const what = `a request of ${requests.length} keys`;
    const deadline = { runtime: this.#runtime, timeoutMs, what };
    if (!this.#isSetUp) {
      await this.#store.setUp?.();
      this.#isSetUp = true;
    }
    const sentMs = this.#runtime.now();
    const answers = await withDeadline((signal) => this.#store.take(requests, signal), deadline);
    checkAnswers(answers, requests);
    return { sentMs, answers };
  }

  /** The store failed: what waits to travel does not wait for it. */
  #lost(cause: unknown, asks: readonly Ask[]): void {
    const error = isDtError(cause)
      ? cause
      : new DtError("DT_STORE_UNAVAILABLE", `the store failed: ${String(cause)}`, { effect: "unknown", cause });
    const pauseMs = Math.min(LONGEST_BACK_OFF_MS, BACK_OFF_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#error = error;
    this.#lostUntilMs = this.#runtime.now() + pauseMs;
    for (const ask of [...asks, ...this.#queue.splice(0)]) ask.failed(error);
  }
}

/** The request of an ask, which is refused by itself: a store would refuse all requests that travel with it. */
function requestOf(ask: Ask): BucketRequest | undefined {
  try {
    const request = ask.request();
    if (request) checkBucketRequest("request", request);
    return request;
  } catch (error) {
    ask.failed(error as DtError);
    return undefined;
  }
}

function settle(ask: Ask, answer: BucketAnswer | DtError, sentMs: number, receivedMs: number): void {
  if (isDtError(answer)) ask.failed(answer);
  else ask.answered({ answer, sentMs, receivedMs });
}

const batchers = new WeakMap<KeyedLedger, Batcher>();

/** The one batcher of a store: keys of several limits travel together. */
export function batcherOf(store: KeyedLedger, runtime: Runtime): Batcher {
  const batcher = batchers.get(store) ?? new Batcher(store, runtime);
  batchers.set(store, batcher);
  return batcher;
}
