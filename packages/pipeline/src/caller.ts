import type { Ended, Passage, Verdict } from "@dt/adaptive";
import { isDtError } from "@dt/core";
import { elapsed } from "@dt/core/internal";
import type { Ending } from "./ending.ts";
import { endingOf, failedWith, isLocalRejection } from "./endings.ts";
import type { CallContext, CallFor } from "./options.ts";
import type { Waiting } from "./schedule.ts";
import type { PipelineSettings } from "./settings.ts";

/** What stands for a record that was not begun, since the run is being ended. */
export const NOT_BEGUN: unique symbol = Symbol("not begun");

/** What stands for a record that we refused ourselves, and that nobody wants. */
export const DROPPED: unique symbol = Symbol("dropped");

/** A call that was made. */
interface Made {
  readonly ended: Ended;
  readonly verdict: Verdict;
}

const WAIT_MS = 1_000;

/** Too many wait for the same thing; it moves on all the same. */
const CROWDED = ["DT_TIMEOUT", "DT_QUEUE_FULL"] as const;

/** The store may be back in a moment. */
const STORE = ["DT_STORE_UNAVAILABLE", "DT_STORE_TIMEOUT", "DT_STORE_SLOW"] as const;

/** This record can never pass: it costs what nothing can cost. */
const IMPOSSIBLE = ["DT_INVALID_OPTION", "DT_INVALID_COST"] as const;

/** Makes the calls of records, and says how each of them ended. */
export class Caller<Input, Result> {
  readonly #settings: PipelineSettings<Input, Result>;
  readonly #call: CallFor<Input, Result>;
  readonly #stop: AbortSignal;
  readonly #late: AbortSignal;
  /** Since when the store has been failing. */
  #failingSinceMs: number | undefined;
  /** Times that a record was tried again. */
  retries = 0;

  /**
   * @param stop aborted with `NOT_BEGUN`, it ends the waiting of those whose call was not made
   * @param late given to the calls
   */
  constructor(
    settings: PipelineSettings<Input, Result>,
    call: CallFor<Input, Result>,
    stop: AbortSignal,
    late: AbortSignal,
  ) {
    this.#settings = settings;
    this.#call = call;
    this.#stop = stop;
    this.#late = late;
  }

  /** How a record ends. Rejects with what makes it useless to go on with any record. */
  async end(record: Waiting<Input>): Promise<Ending<Input, Result> | typeof NOT_BEGUN | typeof DROPPED> {
    const { retries, drop, refuse, cost } = this.#settings;
    if (record.broken) return failedWith(record, record.broken.error);
    try {
      const refused = refuse?.(record.input);
      if (refused !== undefined) return failedWith(record, refused);
      const price = cost?.(record.input);
      const attempt = (number: number): Promise<Made> => this.#attempt(record, price, number);
      const { ended, verdict } = await (retries ? retries.run(attempt, { signal: this.#stop }) : attempt(0));
      return endingOf(record, ended, verdict);
    } catch (error) {
      if (error instanceof Fatal) throw error.cause;
      if (error === NOT_BEGUN) return NOT_BEGUN;
      if (isLocalRejection(error) && drop) return DROPPED;
      if (isLocalRejection(error)) return endingOf(record, { error }, { outcome: "ignored" });
      return failedWith(record, error);
    }
  }

  /**
   * Makes one call as soon as the guard lets it out. Rejects with `NOT_BEGUN`, with our own refusal, or with what is
   * fatal.
   */
  async #attempt(record: Waiting<Input>, cost: number | undefined, attempt: number): Promise<Made> {
    const { guard } = this.#settings;
    const { input, index, group } = record;
    const late = this.#late;
    if (attempt > 0) this.retries += 1;
    for (;;) {
      let begun = false;
      let verdict: Verdict = { outcome: "ignored" };
      const call = ({ signal: lost }: Passage): Result | PromiseLike<Result> => {
        begun = true;
        this.#failingSinceMs = undefined;
        const signal = lost === undefined ? late : AbortSignal.any([late, lost]);
        const context: CallContext = { index, attempt, signal };
        return this.#call(input, context);
      };
      const classify = (ended: Ended): Verdict => {
        verdict = this.#settings.classify(ended);
        return verdict;
      };
      try {
        const value = await guard.run(call, { cost, rejection: group.counters, signal: this.#stop, classify });
        return { ended: { value }, verdict };
      } catch (error) {
        if (isLocalRejection(error) || error === NOT_BEGUN) throw error;
        if (begun || IMPOSSIBLE.some((code) => isDtError(error, code))) return { ended: { error }, verdict };
        await this.#wait(error);
      }
    }
  }

  /** Waits before the guard is asked again; rejects with what asking again does not help against. */
  async #wait(error: unknown): Promise<void> {
    const { runtime, patienceMs } = this.#settings;
    if (STORE.some((code) => isDtError(error, code))) {
      this.#failingSinceMs ??= runtime.now();
      if (runtime.now() - this.#failingSinceMs >= patienceMs) throw new Fatal(error);
    } else if (!CROWDED.some((code) => isDtError(error, code))) throw new Fatal(error);
    await elapsed(runtime, WAIT_MS * (0.5 + runtime.random() / 2), this.#stop);
  }
}

/** Carries an error past those who would take it for the record's. */
class Fatal extends Error {
  constructor(cause: unknown) {
    super("fatal", { cause });
  }
}
