import type { Runtime, Timer } from "@dt/core";
import type { FleetReport } from "../fleet/report.ts";
import type { History } from "./history.ts";
import type { Frame } from "./protocol.ts";

/** While no page is open the store is read this seldom, so that a page that opens shows the minutes before. */
export const UNWATCHED_MS = 5_000;

/** After this time without a reply the store counts as away, although its own deadline is longer. */
export const PATIENCE_MS = 2_000;

/** The longest pause between two attempts while the store is away. */
export const LONGEST_PAUSE_MS = 5_000;

/** What a {@link Collector} works with. */
export interface CollectorOptions {
  readonly periodMs: number;
  readonly history: History;
  readonly runtime: Runtime;
  /** Reads the fleet once. */
  read(signal: AbortSignal): Promise<FleetReport>;
  /** True while a page is open. */
  isWatched(): boolean;
  /** Receives each frame. */
  onFrame(frame: Frame): void;
  /** An error as it may be shown. */
  textOf(error: unknown): string;
  /** The wall clock, in milliseconds since 1970. */
  wallMs(): number;
}

/** Reads the fleet once a period for all pages, never twice at a time, and goes on while the store is away. */
export class Collector {
  readonly #options: CollectorOptions;
  readonly #stopped = new AbortController();
  #timer: Timer | undefined;
  #reading: Promise<void> | undefined;
  /** When the next read is due, on the clock of the runtime. */
  #dueMs = 0;
  /** When the store last replied, or was last asked after that. */
  #replyMs = 0;
  #failures = 0;
  #fault: string | undefined;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** Reads the fleet for the first time, and then once a period. @throws as `read` */
  async start(): Promise<void> {
    const { history, onFrame, periodMs, read, runtime } = this.#options;
    onFrame(history.add(await read(this.#stopped.signal)));
    this.#dueMs = runtime.now() + periodMs;
    this.#tick();
  }

  /** The store replied to a request of a read. */
  replied(): void {
    this.#replyMs = this.#options.runtime.now();
  }

  /** A page has opened: it is not to wait for the next read of a console without pages. */
  hurry(): void {
    const { periodMs, runtime } = this.#options;
    if (this.#failures === 0) this.#dueMs = Math.min(this.#dueMs, runtime.now() + periodMs);
  }

  /** Reads no more, and resolves when the read under way has ended. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error("the console has ended"));
    this.#timer?.cancel();
    await this.#reading;
  }

  #tick = (): void => {
    const { periodMs, runtime, isWatched } = this.#options;
    if (this.#stopped.signal.aborted) return;
    this.#timer = runtime.setTimer(this.#tick, periodMs);
    const nowMs = runtime.now();
    const silentMs = nowMs - this.#replyMs;
    if (this.#reading !== undefined && silentMs >= PATIENCE_MS)
      this.#fail(`the store has not replied for ${(silentMs / 1_000).toFixed(0)} s`);
    else if (this.#reading === undefined && nowMs >= this.#dueMs - 1) this.#reading = this.#read(nowMs);
    else if (this.#fault !== undefined && isWatched()) this.#fail(this.#fault);
  };

  async #read(startMs: number): Promise<void> {
    const { history, isWatched, onFrame, periodMs, read, runtime, textOf } = this.#options;
    this.#replyMs = startMs;
    try {
      const report = await read(this.#stopped.signal);
      this.#failures = 0;
      this.#fault = undefined;
      onFrame(history.add(report));
      this.#dueMs = startMs + (isWatched() ? periodMs : Math.max(periodMs, UNWATCHED_MS));
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      this.#dueMs = runtime.now() + Math.min(LONGEST_PAUSE_MS, periodMs * 2 ** Math.min(this.#failures++, 10));
      this.#fail(textOf(error));
    } finally {
      this.#reading = undefined;
    }
  }

  /** Pages are told in each period: their time goes on, and so do their pictures. */
  #fail(fault: string): void {
    const { history, onFrame, wallMs } = this.#options;
    this.#fault = fault;
    const frame = history.fail(wallMs(), fault);
    if (frame) onFrame(frame);
  }
}
