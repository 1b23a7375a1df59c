import type { Runtime, Timer } from "../runtime/runtime.ts";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Starts a throttle that no caller waits for, and tries again with growing pauses until it has started. Nothing of it
 * keeps the process running, and no failure is a rejection that nobody handles.
 */
export class BackgroundStart {
  readonly #runtime: Runtime;
  readonly #start: () => Promise<void>;
  readonly #onFailure: (error: unknown) => void;
  #underWay = false;
  #ended = false;
  #pauseMs = FIRST_PAUSE_MS;
  #timer: Timer | undefined;

  /**
   * @param start starts, or joins the start under way
   * @param onFailure told of each start that failed
   */
  constructor(runtime: Runtime, start: () => Promise<void>, onFailure: (error: unknown) => void) {
    this.#runtime = runtime;
    this.#start = start;
    this.#onFailure = onFailure;
  }

  /** Begins, unless it has begun. */
  begin(): void {
    if (this.#underWay || this.#ended) return;
    this.#underWay = true;
    this.#try();
  }

  /** Ends it for good. */
  cancel(): void {
    this.#ended = true;
    this.#timer?.cancel();
  }

  #try(): void {
    this.#start().then(
      () => {
        this.#underWay = false;
      },
      (error: unknown) => {
        if (this.#ended) return;
        const pauseMs = this.#pauseMs;
        this.#pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
        this.#timer = this.#runtime.setTimer(() => this.#try(), pauseMs, { keepAlive: false });
        this.#onFailure(error);
      },
    );
  }
}
