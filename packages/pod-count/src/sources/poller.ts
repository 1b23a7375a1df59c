import { DtError, isDtError, type Timer } from "@dt/core";
import { withDeadline } from "@dt/core/ledger";
import type { MemberAnswer, MemberObserver } from "../members/source.ts";
import { backoffMs } from "./backoff.ts";

/** After a hint of a change: so long that a burst of hints is one look. */
const SOON_MS = 50;

/**
 * So much lies between two looks at least, however many hints come; after failures it doubles with each, up to the
 * longest.
 */
const LEAST_GAP_MS = 250;
const LONGEST_GAP_MS = 5_000;

/** One look at the fleet, and how long to wait before the next. */
export interface Look {
  readonly answer: MemberAnswer;
  readonly nextMs: number;
}

/** What is polled. */
export interface PollerOptions {
  /** For messages: `"dns web.default.svc.cluster.local"`. */
  readonly what: string;
  readonly timeoutMs: number;
  /** Looks once. The signal aborts at the deadline and at the end. */
  look(signal: AbortSignal): Promise<Look>;
}

/**
 * Looks again and again, one look at a time, each with a deadline; after a failure with backoff. Timers do not keep the
 * process running.
 */
export class Poller {
  readonly #options: PollerOptions;
  readonly #observer: MemberObserver;
  readonly #over = new AbortController();
  #timer: Timer | undefined;
  /** A hint came that no look has followed yet. */
  #hinted = false;
  #looking = true;
  #failures = 0;
  #lookedMs = 0;
  #dueMs = Number.POSITIVE_INFINITY;

  /** Looks at once. */
  constructor(options: PollerOptions, observer: MemberObserver) {
    this.#options = options;
    this.#observer = observer;
    void this.#look();
  }

  /** Looks soon instead of when it is due. */
  lookSoon(): void {
    if (this.#hinted || this.#over.signal.aborted) return;
    this.#hinted = true;
    if (this.#looking) return;
    // What is due sooner stays so.
    const dueInMs = this.#dueMs - this.#observer.runtime.now();
    if (this.#soonMs() < dueInMs) this.#lookAfter(this.#soonMs());
  }

  close(): void {
    this.#over.abort();
    this.#timer?.cancel();
  }

  async #look(): Promise<void> {
    this.#looking = true;
    this.#hinted = false;
    this.#lookedMs = this.#observer.runtime.now();
    const nextMs = await this.#attempt();
    this.#looking = false;
    if (!this.#over.signal.aborted) this.#lookAfter(this.#hinted ? Math.min(nextMs, this.#soonMs()) : nextMs);
  }

  /** How long after a hint the next look comes: a hint neither ends a backoff nor makes a look of its own each time. */
  #soonMs(): number {
    const gapMs = Math.min(LONGEST_GAP_MS, LEAST_GAP_MS * 2 ** Math.min(this.#failures, 10));
    return Math.max(SOON_MS, this.#lookedMs + gapMs - this.#observer.runtime.now());
  }

  #lookAfter(delayMs: number): void {
    this.#timer?.cancel();
    this.#dueMs = this.#observer.runtime.now() + delayMs;
    this.#timer = this.#observer.runtime.setTimer(() => void this.#look(), delayMs);
  }

  async #attempt(): Promise<number> {
    const { runtime } = this.#observer;
    const { what, timeoutMs, look } = this.#options;
    const { signal } = this.#over;
    try {
      const { answer, nextMs } = await withDeadline(look, { runtime, timeoutMs, what, signal });
      this.#failures = 0;
      if (!signal.aborted) this.#observer.observed(answer);
      return nextMs;
    } catch (error) {
      if (signal.aborted) return 0;
      this.#failures += 1;
      this.#observer.failed(asDtError(error, what));
      return backoffMs(this.#failures, runtime);
    }
  }
}

function asDtError(error: unknown, what: string): DtError {
  if (isDtError(error)) return error;
  return new DtError("DT_STORE_UNAVAILABLE", `${what} failed: ${String(error)}`, { cause: error });
}
