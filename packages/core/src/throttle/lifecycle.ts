import { join } from "../consensus/join.ts";
import type { Membership } from "../consensus/membership.ts";
import { DtError, isDtError } from "../errors/dt-error.ts";
import { checkDrain, Drain, type DrainOptions } from "../internal/drain.ts";
import { describe } from "../internal/duration.ts";
import { whenAborted } from "../internal/when-aborted.ts";
import type { Allowance } from "./allowance.ts";
import type { ThrottleSettings } from "./settings.ts";
import { checkStart, type StartOptions } from "./start-options.ts";
import type { TokenQueue } from "./token-queue.ts";
import { type Running, type Unstopped, unstoppedOf } from "./unstopped.ts";

export type State = "idle" | "starting" | "running" | "draining" | "stopping" | "stopped";

/** From the start to the end of a throttle: joining, draining, leaving. Refuses what comes too early or too late. */
export class Lifecycle {
  state: State = "idle";
  readonly #settings: ThrottleSettings;
  readonly #membership: Membership;
  readonly #allowance: Allowance;
  readonly #queue: TokenQueue;
  /** Aborted when it stops: ends a start under way. */
  readonly #ending = new AbortController();
  #starting: Promise<void> | undefined;
  /** True once the store has taken in that this process left. */
  #stopping: Promise<boolean> | undefined;
  #draining: Promise<boolean> | undefined;
  readonly #drain: Drain;
  /** What is left to do if the process ends before this does. */
  readonly #running: Running;
  readonly #unstopped: Unstopped | undefined;

  constructor(settings: ThrottleSettings, membership: Membership, allowance: Allowance, queue: TokenQueue) {
    this.#settings = settings;
    this.#membership = membership;
    this.#allowance = allowance;
    this.#queue = queue;
    const { name, staleAfterMs } = settings;
    this.#unstopped = unstoppedOf(settings.runtime, settings.store.capabilities);
    this.#running = { name, staleAfterMs, leave: () => this.#leave(), isOpen: () => isOpen(settings) };
    this.#drain = new Drain(settings.runtime, () => queue.size);
    this.#drain.onServed = () => this.#close();
    queue.onEmpty = () => this.#drain.look();
  }

  async start(options: StartOptions): Promise<void> {
    const { timeoutMs, signal } = checkStart(options);
    if (this.#ended) throw this.#stoppedError();
    this.#starting ??= this.#start(timeoutMs, signal);
    return this.#starting;
  }

  async #start(timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    this.state = "starting";
    const aborted = (): void => {
      this.#ending.abort(signal?.reason);
      void this.#leave();
    };
    if (signal?.aborted) aborted();
    const stopListening = signal && whenAborted(signal, aborted);
    try {
      const { name, runtime, onStoreLost } = this.#settings;
      // The floor is granted without a store: there is nothing to wait for.
      const patienceMs = onStoreLost.type === "floor" ? 0 : timeoutMs;
      await join(this.#membership, { name, runtime, forMs: patienceMs, signal: this.#ending.signal });
    } catch (error) {
      const outage = isDtError(error, "DT_STORE_UNAVAILABLE") || isDtError(error, "DT_STORE_TIMEOUT");
      if (!outage || this.#settings.onStoreLost.type !== "floor") {
        this.#membership.rest();
        this.#starting = undefined;
        if (this.state === "starting") this.state = "idle";
        this.#queue.failAll(error);
        throw error;
      }
    } finally {
      stopListening?.();
    }
    if (this.state !== "starting") throw this.#stoppedError();
    this.state = "running";
    this.#unstopped?.add(this.#running);
    this.#allowance.open = true;
    this.#queue.serve();
  }

  /**
   * Refuses new callers, lets those who wait and run finish, and stops. True when all did in time and the store has
   * taken in that this process left.
   */
  async drain(options: DrainOptions): Promise<boolean> {
    const timeoutMs = checkDrain(options);
    this.#draining ??= this.#end(timeoutMs);
    return this.#draining;
  }

  async #end(timeoutMs: number): Promise<boolean> {
    if (this.state !== "running") {
      const served = !this.#ended && this.#queue.size === 0;
      return (await this.#leave()) && served;
    }
    this.state = "draining";
    const idle = await this.#drain.idleWithin(timeoutMs);
    // Not if it was stopped meanwhile: then nobody waits, since all were refused.
    const inOrder = idle && this.state === "draining";
    return (await this.#leave()) && inOrder;
  }

  async stop(): Promise<void> {
    await this.#leave();
  }

  #leave(): Promise<boolean> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<boolean> {
    this.state = "stopping";
    this.#allowance.open = false;
    this.#allowance.untilMs = 0;
    this.#queue.failAll(this.#stoppedError());
    this.#ending.abort(this.#stoppedError());
    this.#unstopped?.delete(this.#running);
    const left = await this.#membership.leave();
    this.state = "stopped";
    return left;
  }

  /** A wrapped call begins; returns what tells that it has ended. */
  begin(): () => void {
    return this.#drain.begin();
  }

  /** @throws DtError `DT_NOT_STARTED`, `DT_STOPPED` */
  assertUsable(): void {
    if (this.#ended || this.state === "draining") throw this.#stoppedError();
    if (this.state === "idle")
      throw new DtError("DT_NOT_STARTED", "the throttle has not joined its group; call and await start() first");
  }

  get #ended(): boolean {
    return this.state === "stopping" || this.state === "stopped";
  }

  /** Nothing more is granted to anybody, also while wrapped calls still run. */
  #close(): void {
    this.#allowance.open = false;
    this.#allowance.untilMs = 0;
  }

  #stoppedError(): DtError {
    const what = this.state === "draining" ? "is being drained" : "was stopped";
    return new DtError("DT_STOPPED", `the throttle ${describe(this.#settings.name)} ${what}; create a new one`);
  }
}

/** A closed store refuses every call by its code. */
async function isOpen({ store, name }: ThrottleSettings): Promise<boolean> {
  return store.inspect(name).then(
    () => true,
    (error: unknown) => !isDtError(error, "DT_STORE_CLOSED"),
  );
}
