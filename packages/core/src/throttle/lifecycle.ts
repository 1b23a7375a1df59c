import { join } from "../consensus/join.ts";
import type { Membership } from "../consensus/membership.ts";
import { type DtError, isDtError } from "../errors/dt-error.ts";
import { checkDrain, Drain, type DrainOptions } from "../internal/drain.ts";
import { describe } from "../internal/duration.ts";
import type { Events } from "../internal/events.ts";
import type { Allowance } from "./allowance.ts";
import { BackgroundStart } from "./background-start.ts";
import { stoppedError } from "./errors.ts";
import type { ThrottleEvents } from "./events.ts";
import type { ThrottleSettings } from "./settings.ts";
import { checkStart, type StartOptions } from "./start-options.ts";
import { startedWithin, startWith } from "./start-waits.ts";
import type { TokenQueue } from "./token-queue.ts";
import { type Running, type Unstopped, unstoppedOf } from "./unstopped.ts";

export type State = "idle" | "starting" | "running" | "draining" | "stopping" | "stopped";

/** The throttle of the limit that this one replaces: it starts before, and ends after it. */
export interface ReplacedLife {
  start(options: StartOptions): Promise<void>;
  drain(options: DrainOptions): Promise<boolean>;
  stop(): Promise<void>;
}

export interface LifeSources {
  readonly settings: ThrottleSettings;
  readonly events: Events<ThrottleEvents>;
  readonly membership: Membership;
  readonly allowance: Allowance;
  readonly queue: TokenQueue;
  readonly replaced: ReplacedLife | undefined;
}

/** For how long a start tries that a call began. */
const LAZY_MS = checkStart({}).timeoutMs;

/** From the start to the end of a throttle: joining, draining, leaving. Refuses what comes too late. */
export class Lifecycle {
  state: State = "idle";
  readonly #settings: ThrottleSettings;
  readonly #membership: Membership;
  readonly #allowance: Allowance;
  readonly #queue: TokenQueue;
  readonly #replaced: ReplacedLife | undefined;
  readonly #inBackground: BackgroundStart;
  /** Aborted when it stops: ends a start under way. */
  readonly #ending = new AbortController();
  #starting: Promise<void> | undefined;
  #startError: DtError | undefined;
  /** True once the store has taken in that this process left. */
  #stopping: Promise<boolean> | undefined;
  #draining: Promise<boolean> | undefined;
  readonly #drain: Drain;
  /** What is left to do if the process ends before this does. */
  readonly #running: Running;
  readonly #unstopped: Unstopped | undefined;

  constructor({ settings, events, membership, allowance, queue, replaced }: LifeSources) {
    const { name, staleAfterMs, runtime } = settings;
    this.#settings = settings;
    this.#membership = membership;
    this.#allowance = allowance;
    this.#queue = queue;
    this.#replaced = replaced;
    this.#inBackground = new BackgroundStart(
      runtime,
      () => this.#begin(LAZY_MS),
      (error) => {
        if (events.has("startFailed")) events.emit("startFailed", { error });
      },
    );
    this.#unstopped = unstoppedOf(runtime, settings.store.capabilities);
    this.#running = { name, staleAfterMs, leave: () => this.#leave(), isOpen: () => isOpen(settings) };
    this.#drain = new Drain(runtime, () => queue.size);
    this.#drain.onServed = () => this.#close();
    queue.onEmpty = () => this.#drain.look();
  }

  /** True once it has joined its group. */
  get joined(): boolean {
    return this.state !== "idle" && this.state !== "starting";
  }

  /** Why the last start failed, until one succeeds. */
  get startError(): DtError | undefined {
    return this.#startError;
  }

  start(options: StartOptions): Promise<void> {
    const { runtime, storeTimeoutMs } = this.#settings;
    return startWith(options, {
      runtime,
      storeTimeoutMs,
      begin: (timeoutMs) => this.#begin(timeoutMs),
      aborted: (reason) => {
        this.#ending.abort(reason);
        void this.stop();
      },
    });
  }

  /**
   * A call waits: it starts, unless it has begun. A start that fails refuses all who wait.
   * @throws DtError `DT_STOPPED`
   */
  startForCallers(): void {
    this.assertOpen();
    // Callers are told by the queue.
    if (this.state === "idle") this.#begin(LAZY_MS).catch(() => undefined);
  }

  /**
   * A call does not wait: it starts in the background, unless it has begun.
   * @throws DtError `DT_STOPPED`
   */
  startInBackground(): void {
    this.assertOpen();
    this.#inBackground.begin();
  }

  /**
   * Waits for the start, which it begins if need be, for `timeoutMs` or the start's own time; false when that is over.
   * Rejects as the start does, and with the signal's reason.
   */
  async startedWithin(timeoutMs: number | undefined, signal: AbortSignal | undefined): Promise<boolean> {
    signal?.throwIfAborted();
    this.assertOpen();
    if (this.state === "running") return true;
    return startedWithin(this.#begin(LAZY_MS), this.#settings.runtime, timeoutMs ?? LAZY_MS, signal);
  }

  async #begin(timeoutMs: number): Promise<void> {
    if (this.#ended) throw this.#stoppedError();
    this.#starting ??= this.#start(timeoutMs);
    return this.#starting;
  }

  async #start(timeoutMs: number): Promise<void> {
    this.state = "starting";
    try {
      await this.#join(timeoutMs);
    } catch (error) {
      this.#membership.rest();
      this.#starting = undefined;
      // A start that was given up did not fail.
      if (this.state === "starting") {
        this.state = "idle";
        this.#startError = isDtError(error) ? error : undefined;
      }
      this.#queue.failAll(error);
      throw error;
    }
    if (this.state !== "starting") throw this.#stoppedError();
    this.#startError = undefined;
    this.state = "running";
    this.#unstopped?.add(this.#running);
    this.#allowance.open = true;
    this.#allowance.untilMs = 0;
    this.#queue.serve();
  }

  async #join(timeoutMs: number): Promise<void> {
    const { name, runtime, onStoreLost } = this.#settings;
    const { signal } = this.#ending;
    await this.#replaced?.start({ timeout: timeoutMs, signal });
    try {
      // The floor is granted without a store: there is nothing to wait for.
      const forMs = onStoreLost.type === "floor" ? 0 : timeoutMs;
      await join(this.#membership, { what: `the throttle ${describe(name)}`, runtime, forMs, signal });
    } catch (error) {
      const outage = isDtError(error, "DT_STORE_UNAVAILABLE") || isDtError(error, "DT_STORE_TIMEOUT");
      if (!outage || onStoreLost.type !== "floor") throw error;
    }
  }

  /**
   * Refuses new callers, lets those who wait and run finish, and stops. True when all did in time and the store has
   * taken in that this process left.
   */
  async drain(options: DrainOptions): Promise<boolean> {
    const timeoutMs = checkDrain(options);
    this.#draining ??= this.#end(timeoutMs);
    const isDone = await this.#draining;
    return ((await this.#replaced?.drain({ timeout: 0 })) ?? true) && isDone;
  }

  async #end(timeoutMs: number): Promise<boolean> {
    if (this.state !== "running") {
      const served = !this.#ended && this.#queue.size === 0;
      return (await this.#leave()) && served;
    }
    this.state = "draining";
    const idle = await this.#drain.idleWithin(timeoutMs);
    // Not if it was stopped meanwhile: then no caller waits, since all were refused.
    const inOrder = idle && this.state === "draining";
    return (await this.#leave()) && inOrder;
  }

  async stop(): Promise<void> {
    await this.#leave();
    await this.#replaced?.stop();
  }

  #leave(): Promise<boolean> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<boolean> {
    this.state = "stopping";
    this.#inBackground.cancel();
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

  /** @throws DtError `DT_STOPPED` */
  assertOpen(): void {
    if (this.#ended || this.state === "draining") throw this.#stoppedError();
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
    return stoppedError(this.#settings.name, this.state === "draining" ? "is being drained" : "was stopped");
  }
}

/** A closed store refuses every call by its code. */
async function isOpen({ store, name }: ThrottleSettings): Promise<boolean> {
  return store.inspect(name).then(
    () => true,
    (error: unknown) => !isDtError(error, "DT_STORE_CLOSED"),
  );
}
