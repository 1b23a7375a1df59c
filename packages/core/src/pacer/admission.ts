import { type Admitted, type BatchOptions, batches } from "../internal/batches.ts";
import { Drain, type DrainOptions } from "../internal/drain.ts";
import { type PauseEnd, pauseMsOf } from "../internal/pause.ts";
import type { Tally } from "../internal/tally.ts";
import { type AcquireOptions, type AcquireSettings, checkAcquireOptions } from "../limiter/acquire-options.ts";
import { admitBy, type CallOptions, type Calls, callsOf, SKIPPED } from "../limiter/calls.ts";
import type { WhenLimited } from "../limiter/run.ts";
import { checkPermitCost } from "./check-permit-cost.ts";
import { limited, stoppedError } from "./pacer-errors.ts";
import type { PacerSettings } from "./pacer-options.ts";
import type { PacerStatus } from "./pacer-status.ts";
import type { Permit } from "./permit.ts";
import { type AttemptSettings, isRefused, type PermitSource, type Refused } from "./permit-source.ts";

type Options = AcquireOptions & { readonly cost?: number };

/** The front door of a pacer: checks what callers ask for, counts their calls, and ends in order or at once. */
export class Admission<P extends Permit> {
  readonly calls: Calls<P, number, AcquireOptions, WhenLimited, object>;
  readonly #settings: Pick<PacerSettings, "name" | "maxCost" | "runtime">;
  readonly #source: PermitSource<P>;
  readonly #tally: Tally;
  readonly #drain: Drain;
  #state: PacerStatus["state"] = "running";
  #stopping: Promise<void> | undefined;

  constructor(settings: Pick<PacerSettings, "name" | "maxCost" | "runtime">, source: PermitSource<P>, tally: Tally) {
    this.#settings = settings;
    this.#tally = tally;
    this.#source = source;
    this.#drain = new Drain(settings.runtime, () => source.waiting);
    source.onEmpty = () => this.#drain.look();
    this.calls = callsOf<P>({
      options: ["signal", "timeout", "priority"],
      whenLimited: ["wait", "throw", "skip"],
      check: (options) => void this.#check(options),
      begin: () => this.#drain.begin(),
      admit: (options, whenLimited) => this.#admit(options, whenLimited),
    });
  }

  get state(): PacerStatus["state"] {
    return this.#state;
  }

  /** A pacer that was stopped pauses nothing. */
  pauseUntil(until: PauseEnd): void {
    const { runtime } = this.#settings;
    const forMs = pauseMsOf(until, runtime);
    const isOpen = this.#state === "running" || this.#state === "draining";
    if (isOpen && forMs > 0) this.#source.pauseUntil(runtime.now() + forMs);
  }

  async acquire(cost: number = 1, options?: AcquireOptions): Promise<P> {
    checkPermitCost(cost, this.#settings.maxCost);
    return this.#wait(cost, checkAcquireOptions(options));
  }

  async tryAcquire(cost: number = 1): Promise<P | undefined> {
    checkPermitCost(cost, this.#settings.maxCost);
    const answer = await this.#attempt(cost, { signal: undefined, priority: 0 });
    if (!isRefused(answer)) return answer;
    this.#tally.answeredNo();
    return undefined;
  }

  batches<T>(source: AsyncIterable<T> | Iterable<T>, options?: BatchOptions): AsyncGenerator<T[], void, void> {
    const { maxCost, runtime } = this.#settings;
    const admit = async (size: number, signal: AbortSignal | undefined): Promise<Admitted> => ({
      size: Math.min(size, Math.max(1, Math.floor(maxCost))),
      goesOut: async (cost) => void (await this.acquire(cost, { signal })),
    });
    return batches(admit, runtime, source, options);
  }

  drain(options: DrainOptions = {}): Promise<boolean> {
    let unreleased = 0;
    return this.#drain.end(options, {
      refuse: () => {
        unreleased = this.#source.unreleased;
        if (this.#state === "running") this.#state = "draining";
      },
      isDraining: () => this.#state === "draining",
      stop: () => this.stop(),
      gaveBack: () => this.#source.unreleased === unreleased,
    });
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#state = "stopping";
    await this.#source.close(stoppedError(this.#settings.name, "was stopped"));
    this.#state = "stopped";
  }

  /** One call of `run` or of a wrapped function. */
  #admit(options: CallOptions, whenLimited: WhenLimited): Promise<P | typeof SKIPPED> {
    const { cost, how } = this.#check(options);
    let retryAfterMs = 0;
    return admitBy<P>(whenLimited, options.timeout, {
      wait: () => this.#wait(cost, how),
      now: async () => {
        const answer = await this.#attempt(cost, how);
        if (!isRefused(answer)) return answer;
        this.#tally.decided("refused", 0, cost, how.priority);
        retryAfterMs = answer.retryAfterMs;
        return SKIPPED;
      },
      limited: () => limited(this.#settings.name, retryAfterMs),
    });
  }

  #check(options: CallOptions): { readonly cost: number; readonly how: AcquireSettings } {
    const { cost = 1, signal, timeout, priority } = options as Options;
    return {
      cost: checkPermitCost(cost, this.#settings.maxCost),
      how: checkAcquireOptions({ signal, timeout, priority }),
    };
  }

  async #wait(cost: number, how: AcquireSettings): Promise<P> {
    how.signal?.throwIfAborted();
    this.#assertOpen();
    return this.#source.acquire(cost, how);
  }

  async #attempt(cost: number, how: AttemptSettings): Promise<P | Refused> {
    how.signal?.throwIfAborted();
    this.#assertOpen();
    return this.#source.attempt(cost, how);
  }

  #assertOpen(): void {
    if (this.#state === "running") return;
    throw stoppedError(this.#settings.name, this.#state === "draining" ? "is being drained" : "was stopped");
  }
}
