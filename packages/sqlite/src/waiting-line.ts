import { DtError, type Runtime, type Timer } from "@dt/core";
import { BUSY } from "./connection.ts";
import { Turns } from "./turns.ts";

/** Pause before a locked file is tried again, in milliseconds: a transaction takes a tenth of one. */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 10;
/** Calls served before the event loop has its turn again. */
const PORTION = 64;

interface Waiting {
  /** Runs the call if it can; false when the file is locked. */
  readonly attempt: () => boolean;
  readonly fail: (error: DtError) => void;
}

/**
 * The calls of one process, one at a time and in order. Those that find the file locked by another process wait for one
 * timer with jitter, so that a thousand waiting calls do not try a thousand times.
 */
export class WaitingLine {
  readonly #runtime: Runtime;
  readonly #timeoutMs: number;
  readonly #path: string;
  readonly #turns = new Turns();
  readonly #line: Waiting[] = [];
  #pause: Timer | undefined;

  constructor(runtime: Runtime, timeoutMs: number, path: string) {
    this.#runtime = runtime;
    this.#timeoutMs = timeoutMs;
    this.#path = path;
  }

  /**
   * Runs `attempt` as soon as it does not answer {@link BUSY}: at its first turn when nobody waits.
   * @throws DtError `DT_STORE_TIMEOUT`, `DT_ABORTED`, or what `attempt` throws; nothing was done then, unless `attempt`
   *   says otherwise
   */
  async run<T>(what: string, signal: AbortSignal | undefined, attempt: () => T | typeof BUSY): Promise<T> {
    await this.#turns.next();
    return new Promise<T>((resolve, reject) => {
      if (signal?.aborted) return reject(aborted(what, signal));
      const attemptOnce = (): boolean => {
        try {
          const result = attempt();
          if (result === BUSY) return false;
          resolve(result);
        } catch (error) {
          reject(error);
        }
        return true;
      };
      if (this.#line.length === 0 && attemptOnce()) return;
      this.#enter(what, signal, attemptOnce, reject);
    });
  }

  /** Fails everybody in the line. */
  clear(error: DtError): void {
    for (const waiting of [...this.#line]) waiting.fail(error);
  }

  #enter(
    what: string,
    signal: AbortSignal | undefined,
    attemptOnce: () => boolean,
    reject: (error: DtError) => void,
  ): void {
    const leave = (): void => {
      deadline.cancel();
      signal?.removeEventListener("abort", onAbort);
      const place = this.#line.indexOf(waiting);
      if (place >= 0) this.#line.splice(place, 1);
      if (this.#line.length === 0) this.#stopPause();
    };
    const waiting: Waiting = {
      attempt: () => {
        const settled = attemptOnce();
        if (settled) leave();
        return settled;
      },
      fail: (error) => {
        leave();
        reject(error);
      },
    };
    const onAbort = (): void => waiting.fail(aborted(what, signal as AbortSignal));
    const deadline = this.#runtime.setTimer(() => waiting.fail(this.#timedOut(what)), this.#timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#line.push(waiting);
    this.#rest();
  }

  #rest(): void {
    if (this.#pause || this.#line.length === 0) return;
    const pauseMs = SHORTEST_PAUSE_MS + this.#runtime.random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS);
    this.#pause = this.#runtime.setTimer(() => {
      this.#pause = undefined;
      void this.#serve();
    }, pauseMs);
  }

  async #serve(): Promise<void> {
    for (let served = 0; served < PORTION; served++) {
      await this.#turns.next();
      if (!this.#line[0]?.attempt()) break;
    }
    this.#rest();
  }

  #stopPause(): void {
    this.#pause?.cancel();
    this.#pause = undefined;
  }

  #timedOut(what: string): DtError {
    return new DtError(
      "DT_STORE_TIMEOUT",
      `sqlite ${what} did not get its turn within ${this.#timeoutMs} ms: another process keeps ${this.#path} locked. Nothing was changed`,
    );
  }
}

function aborted(what: string, signal: AbortSignal): DtError {
  return new DtError("DT_ABORTED", `sqlite ${what} was given up by its AbortSignal`, { cause: signal.reason });
}
