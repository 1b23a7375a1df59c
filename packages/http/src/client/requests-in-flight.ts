import type { AnswerReport } from "@dt/adaptive";
import { DtError, type Runtime, type Timer } from "@dt/core";
import { describe, type Wait, WaitingQueue } from "@dt/core/internal";

/**
 * So long after the instant at which there is more, what a callee said before it still counts: one request goes first,
 * to see. A callee that answers it later is not waited for.
 */
const GRACE_MS = 1_000;

/** A timer that is later than this says that the process stood still. */
const LATE_MS = 500;

/**
 * The requests to one callee that are not answered yet: never more of them than the callee said are left, and one where
 * nothing is. So those that waited for the end of a pause do not all go out at once, to be refused again; and what is
 * left is not overdrawn by this process. That something is left guarantees nothing: others may take it.
 */
export class RequestsInFlight {
  readonly #runtime: Runtime;
  readonly #queue: WaitingQueue<true>;
  #count = 0;
  #most = Number.POSITIVE_INFINITY;
  #refused = false;
  #timer: Timer | undefined;

  constructor(callee: string, maxWaiters: number, runtime: Runtime) {
    this.#runtime = runtime;
    const timeoutError = (): DtError => new DtError("DT_TIMEOUT", `no turn at ${describe(callee)}`);
    this.#queue = new WaitingQueue({ runtime, maxWaiters, acquireTimeoutMs: 0, timeoutError });
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Waits in the queue. True means that one more is on its way, until {@link answered}. Rejects with `DT_TIMEOUT`, and
   * with the signal's reason.
   * @throws DtError `DT_QUEUE_FULL`
   */
  enter(wait: Omit<Wait, "cost">): true | Promise<true> {
    if (this.#count >= this.#most || this.#queue.size > 0) return this.#queue.join({ ...wait, cost: 1 });
    this.#count += 1;
    return true;
  }

  /** One is on its way no longer: it was answered, or failed, or never went out. */
  answered(): void {
    this.#count -= 1;
    this.#serve();
  }

  /**
   * Receives what an answer reported. One that reports nothing takes back a refusal, unless it is one: the callee takes
   * calls again.
   * @param limits `longestMs`: the longest time that a callee is believed; `pausedForMs`: what is left of the longest
   *   pause that any answer reported, which a shorter time reported later does not end
   */
  received(
    { left, pauseMs, refused }: Pick<AnswerReport, "left" | "pauseMs" | "refused">,
    { longestMs, pausedForMs }: { readonly longestMs: number; readonly pausedForMs: number },
  ): void {
    const dated = left.filter(({ resetMs }) => resetMs !== undefined);
    if (pauseMs === undefined && dated.length === 0 && (refused || !this.#refused)) return;
    this.#refused = pauseMs !== undefined;
    const remaining = pauseMs === undefined ? Math.min(...dated.map((limit) => limit.remaining)) : 0;
    const resetMs = pauseMs ?? Math.max(0, ...dated.map((limit) => limit.resetMs as number));
    this.#timer?.cancel();
    this.#most = Math.max(1, Math.floor(remaining));
    // Two timers: where the process stands still past the first, the second gives the whole grace from there on.
    if (this.#most < Number.POSITIVE_INFINITY)
      this.#after(Math.max(Math.min(resetMs, longestMs), pausedForMs), () => this.#startGrace());
    this.#serve();
  }

  /** Nobody waits here any more. */
  stop(error: unknown): void {
    this.#timer?.cancel();
    this.#most = Number.POSITIVE_INFINITY;
    this.#queue.failAll(error);
  }

  #startGrace(): void {
    const dueMs = this.#runtime.now() + GRACE_MS;
    this.#after(GRACE_MS, () => {
      // The answers that came while the process stood still are not read yet.
      if (this.#runtime.now() - dueMs > LATE_MS) this.#startGrace();
      else this.forget();
    });
  }

  /** What the callee said counts no longer. */
  forget(): void {
    this.#timer?.cancel();
    this.#most = Number.POSITIVE_INFINITY;
    this.#serve();
  }

  #after(ms: number, next: () => void): void {
    this.#timer = this.#runtime.setTimer(next, ms, { keepAlive: false });
  }

  #serve(): void {
    for (let first = this.#queue.first; first && this.#count < this.#most; first = this.#queue.first) {
      this.#count += 1;
      first.answer(true);
    }
  }
}
