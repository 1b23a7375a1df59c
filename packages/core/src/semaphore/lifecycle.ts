import { join } from "../consensus/join.ts";
import { type DtError, isDtError } from "../errors/dt-error.ts";
import { checkDrain, Drain, type DrainOptions } from "../internal/drain.ts";
import { describe } from "../internal/duration.ts";
import type { Events } from "../internal/events.ts";
import { BackgroundStart } from "../throttle/background-start.ts";
import type { State } from "../throttle/lifecycle.ts";
import { checkStart, type StartOptions } from "../throttle/start-options.ts";
import { startedWithin, startWith } from "../throttle/start-waits.ts";
import { type Running, type Unstopped, unstoppedOf } from "../throttle/unstopped.ts";
import { lostError, stoppedError } from "./errors.ts";
import type { SemaphoreEvents } from "./events.ts";
import type { OpenSlots } from "./open-slots.ts";
import type { SemaphoreSettings } from "./settings.ts";
import type { SlotMember } from "./slot-member.ts";
import type { SlotQueue } from "./slot-queue.ts";

/** What begins and ends. */
export interface LifeSources {
  readonly settings: SemaphoreSettings;
  readonly events: Events<SemaphoreEvents>;
  readonly member: SlotMember;
  readonly open: OpenSlots;
  readonly queue: SlotQueue;
}

/** For how long a start tries that a call began. */
const LAZY_MS = checkStart({}).timeoutMs;

/** From the start to the end of a semaphore: joining, draining, leaving. Refuses what comes too late. */
export class Lifecycle {
  state: State = "idle";
  readonly #settings: SemaphoreSettings;
  readonly #member: SlotMember;
  readonly #open: OpenSlots;
  readonly #queue: SlotQueue;
  readonly #inBackground: BackgroundStart;
  /** Aborted when it stops: ends a start under way. */
  readonly #ending = new AbortController();
  #starting: Promise<void> | undefined;
  #startError: DtError | undefined;
  /** True once the store has recorded that this process left. */
  #stopping: Promise<boolean> | undefined;
  #draining: Promise<boolean> | undefined;
  readonly #drain: Drain;
  /** What is left to do if the process ends before this does. */
  readonly #running: Running;
  readonly #unstopped: Unstopped | undefined;

  constructor({ settings, events, member, open, queue }: LifeSources) {
    const { group, staleAfterMs, runtime, store } = settings;
    this.#settings = settings;
    this.#member = member;
    this.#open = open;
    this.#queue = queue;
    this.#inBackground = new BackgroundStart(
      runtime,
      () => this.#begin(LAZY_MS),
      (error) => {
        if (events.has("startFailed")) events.emit("startFailed", { error });
      },
    );
    this.#unstopped = unstoppedOf(runtime, store.capabilities);
    this.#running = { name: group, staleAfterMs, leave: () => this.#leave(), isOpen: () => isOpen(settings) };
    this.#drain = new Drain(runtime, () => queue.size + open.size);
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
   * A call waits: it starts, unless it has begun. A start that fails refuses all callers that wait.
   * @throws DtError `DT_STOPPED`
   */
  startForCallers(): void {
    this.assertOpen();
    // Callers get the error from the queue.
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

  /** The store has answered to a member: from now on slots are granted. */
  joined(): void {
    if (this.state !== "starting") return;
    this.#startError = undefined;
    this.state = "running";
    this.#unstopped?.add(this.#running);
  }

  /** A wrapped call begins; returns the function that reports its end. */
  begin(): () => void {
    return this.#drain.begin();
  }

  /** A caller left the queue, or a call has ended. */
  look(): void {
    if (this.state !== "draining") return;
    // Callers that waited are served: what calls give back goes to other processes.
    if (this.#queue.size === 0) this.#close();
    this.#drain.look();
  }

  /** @throws DtError `DT_STOPPED` */
  assertOpen(): void {
    if (this.#ended || this.state === "draining") throw this.#stoppedError();
  }

  /**
   * Refuses new callers, serves those that wait, waits for the calls that run, and stops. True when all did in time and
   * the store has recorded that this process left.
   */
  async drain(options: DrainOptions): Promise<boolean> {
    const timeoutMs = checkDrain(options);
    this.#draining ??= this.#end(timeoutMs);
    return this.#draining;
  }

  async stop(): Promise<void> {
    await this.#leave();
  }

  async #begin(timeoutMs: number): Promise<void> {
    if (this.#ended) throw this.#stoppedError();
    this.#starting ??= this.#start(timeoutMs);
    return this.#starting;
  }

  async #start(timeoutMs: number): Promise<void> {
    const { name, runtime } = this.#settings;
    this.state = "starting";
    try {
      const what = `the semaphore ${describe(name)}`;
      await join(this.#member, { what, runtime, forMs: timeoutMs, signal: this.#ending.signal });
    } catch (error) {
      this.#starting = undefined;
      // A start that was given up did not fail.
      if (this.state === "starting") {
        this.#member.rest();
        this.state = "idle";
        this.#startError = isDtError(error) ? error : undefined;
      }
      this.#queue.failAll(error);
      throw error;
    }
    // The answer may have been followed by a stop at once.
    this.assertOpen();
  }

  async #end(timeoutMs: number): Promise<boolean> {
    if (this.state !== "running") {
      const served = !this.#ended && this.#queue.size === 0;
      return (await this.#leave()) && served;
    }
    this.state = "draining";
    const idle = this.#drain.idleWithin(timeoutMs);
    this.look();
    // Not if it was stopped meanwhile: then no caller waits, since all were refused.
    const inOrder = (await idle) && this.state === "draining";
    return (await this.#leave()) && inOrder;
  }

  #leave(): Promise<boolean> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<boolean> {
    this.state = "stopping";
    this.#inBackground.cancel();
    this.#close();
    this.#queue.failAll(this.#stoppedError());
    this.#ending.abort(this.#stoppedError());
    this.#open.loseAll(lostError(this.#settings.name, "it was stopped"));
    this.#unstopped?.delete(this.#running);
    const left = await this.#member.leave();
    this.state = "stopped";
    return left;
  }

  /** No call begins any more; what is held is given back as calls end. */
  #close(): void {
    const { share, schedule } = this.#member;
    share.isClosed = true;
    schedule.tidy(this.#settings.runtime.now());
  }

  get #ended(): boolean {
    return this.state === "stopping" || this.state === "stopped";
  }

  #stoppedError(): DtError {
    return stoppedError(this.#settings.name, this.state === "draining" ? "is being drained" : "was stopped");
  }
}

/** A closed store refuses every call by its code. */
async function isOpen({ store, group }: SemaphoreSettings): Promise<boolean> {
  return store.inspect(group).then(
    () => true,
    (error: unknown) => !isDtError(error, "DT_STORE_CLOSED"),
  );
}
