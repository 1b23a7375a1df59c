import type { Runtime } from "@dt/core";
import { DtError } from "@dt/core";
import { describe } from "@dt/core/internal";
import type { LimitAlgorithm, LimitState, SampleWindow, WindowLength } from "../algorithms/algorithm.ts";
import { WindowCollector } from "../algorithms/window.ts";
import { LagProbe } from "./lag-probe.ts";

/**
 * After so many windows in a row that were late the next one counts: in a process that is always busy the limit would
 * else stand still.
 */
const MOST_LATE = 10;

/** What a controller works with. */
export interface ControllerOptions {
  readonly algorithm: LimitAlgorithm;
  readonly runtime: Runtime;
  /** What the event loop may have added to latencies, as a part of the shortest: from 0 to 1. */
  readonly maxLag: number;
  /** Says whether calls are in flight. */
  readonly busy: () => boolean;
  /** Told of each window that was closed; `late` when its latencies were not looked at. */
  readonly closed: (window: SampleWindow, late: boolean) => void;
}

/**
 * Finds the limit: collects what is seen of the callee into windows, and lets the algorithm look at each. No timer
 * closes a window, but the end of a call.
 */
export class Controller {
  /** Cost that may be in flight at once, at least 1. */
  limit = 1;
  readonly window: WindowCollector;
  /** From when on the end of a call may close the window, on the runtime's clock. */
  closesAtMs: number = Number.NEGATIVE_INFINITY;
  /** Windows that the algorithm looked at, and those left out because the event loop was late. */
  windows = 0;
  lateWindows = 0;
  /** What went wrong in the algorithm; undefined while nothing did. */
  lastError: DtError | undefined;
  readonly #options: ControllerOptions;
  readonly #probe: LagProbe | undefined;
  #state: LimitState;
  #lateInARow = 0;
  /** The mean latency of the last window with successes, in milliseconds; 0 before. */
  #latencyMs = 0;
  #length: WindowLength;

  constructor(options: ControllerOptions) {
    const { algorithm, runtime, maxLag, busy } = options;
    this.#options = options;
    this.window = new WindowCollector(() => runtime.random());
    // A window that may be late all the time needs nobody to look.
    this.#probe = maxLag < 1 ? new LagProbe(runtime, busy) : undefined;
    this.#state = algorithm.start();
    this.#length = algorithm.window(this.#state);
    this.#take(this.#state);
    if (this.lastError) throw this.lastError;
  }

  get state(): LimitState {
    return this.#state;
  }

  /** Starts from a limit that was learned before; false where a window was looked at meanwhile. */
  startFrom(limit: number): boolean {
    if (this.windows > 0) return false;
    const { algorithm } = this.#options;
    const state = algorithm.start(limit);
    if (!this.#take(state)) return false;
    this.#state = state;
    this.#length = algorithm.window(state);
    return true;
  }

  /** The first call goes out after a time without any: the window does not count that time. */
  wake(nowMs: number): void {
    if (nowMs >= this.closesAtMs) this.#restart(nowMs);
    if (this.#probe?.running === false) this.#probe.start(nowMs);
  }

  #restart(nowMs: number): void {
    const { size, startMs, overloads } = this.window;
    // Refusals are never forgotten: of a few calls now and then, all of them refused, no window would ever be closed.
    if (overloads > 0 || (size > 0 && nowMs - startMs < this.#longestMs)) return;
    this.#begin(nowMs, 0, false);
  }

  /**
   * Closes the window if it is long enough and has enough samples: true, the limit may be another. `waiting`: somebody
   * waits.
   */
  look(nowMs: number, inflight: number, waiting: boolean): boolean {
    const { window } = this;
    if (nowMs < this.closesAtMs || window.size === 0) return false;
    const lastedMs = nowMs - window.startMs;
    if (window.size < this.#length.minSamples && lastedMs < this.#longestMs) return false;
    if (lastedMs < (this.#length.minLatencies ?? 0) * this.#windowLatencyMs) return false;
    this.#close(nowMs, inflight, waiting);
    return true;
  }

  stop(): void {
    this.#probe?.stop();
  }

  /** What a call takes now, as far as it is known. */
  get #windowLatencyMs(): number {
    return this.window.meanMs || this.#latencyMs;
  }

  get #longestMs(): number {
    const { maxMs, maxLatencies = 0 } = this.#length;
    return Math.max(maxMs, maxLatencies * this.#windowLatencyMs);
  }

  #close(nowMs: number, inflight: number, waiting: boolean): void {
    const { window } = this;
    const late = this.#isLate(nowMs);
    this.#lateInARow = late ? this.#lateInARow + 1 : 0;
    const seen = window.seen(nowMs, !late);
    if (seen.samples > 0) this.#latencyMs = seen.meanMs;
    if (late) this.lateWindows += 1;
    // A refusal is a refusal, however late it was read.
    if (!late || seen.overloads > 0) this.#next(seen);
    this.#begin(nowMs, inflight, waiting);
    this.#options.closed(seen, late);
  }

  /**
   * Whether the event loop is to blame for the latencies of the window. What the callee reports is right all the same.
   */
  #isLate(nowMs: number): boolean {
    const { window } = this;
    if (this.#probe === undefined || window.reports > 0 || this.#lateInARow >= MOST_LATE) return false;
    return this.#probe.added(nowMs, nowMs - window.startMs, this.#options.maxLag, window.leastMs);
  }

  #begin(nowMs: number, inflight: number, limited: boolean): void {
    this.window.begin(nowMs, inflight, limited);
    this.#probe?.forget();
    this.closesAtMs = nowMs + this.#length.minMs;
  }

  #next(seen: SampleWindow): void {
    const { algorithm, runtime } = this.#options;
    this.windows += 1;
    try {
      const state = algorithm.next(this.#state, seen, () => runtime.random());
      if (!this.#take(state)) return;
      this.#state = state;
      this.#length = algorithm.window(state);
    } catch (error) {
      const message = `the algorithm ${describe(algorithm.name)} failed; the limit stays at ${this.limit}`;
      this.lastError = new DtError("DT_INVALID_OPTION", message, { cause: error });
    }
  }

  /** A limit that is no number would let everything through, or nothing. */
  #take({ limit }: LimitState): boolean {
    if (Number.isFinite(limit)) {
      this.limit = Math.max(1, limit);
      return true;
    }
    this.lastError = new DtError(
      "DT_INVALID_OPTION",
      `the algorithm ${describe(this.#options.algorithm.name)} set the limit to ${describe(limit)}, which is no finite number; the limit stays at ${this.limit}`,
    );
    return false;
  }
}
