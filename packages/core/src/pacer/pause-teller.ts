import { isDtError } from "../errors/dt-error.ts";
import type { Runtime, Timer } from "../runtime/runtime.ts";

/** After a failure the ledger is asked again, so many milliseconds later. */
const AGAIN_MS = 1_000;

/** Says a pause to the ledger, with one request at a time, until one has arrived or the pause is over. */
export class PauseTeller {
  readonly #runtime: Runtime;
  readonly #isUnsaid: () => boolean;
  readonly #send: () => Promise<void>;
  #telling: Promise<void> | undefined;
  #timer: Timer | undefined;
  #stopped = false;

  /**
   * @param isUnsaid false once a request has carried the pause, this one or another, or when it is over
   * @param send sends a request that carries it
   */
  constructor(runtime: Runtime, isUnsaid: () => boolean, send: () => Promise<void>) {
    this.#runtime = runtime;
    this.#isUnsaid = isUnsaid;
    this.#send = send;
  }

  tell(): void {
    this.#timer?.cancel();
    if (this.#stopped || this.#telling || !this.#isUnsaid()) return;
    this.#telling = this.#send().then(
      () => this.#ended(),
      (error: unknown) => {
        this.#telling = undefined;
        // Other terms are refused for as long as the key is in use.
        if (this.#stopped || isDtError(error, "DT_PACE_MISMATCH")) return;
        this.#timer = this.#runtime.setTimer(() => this.tell(), AGAIN_MS, { keepAlive: false });
      },
    );
  }

  /** Resolves when nothing is under way; nothing follows. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#telling;
  }

  #ended(): void {
    this.#telling = undefined;
    // It may have become longer meanwhile.
    this.tell();
  }
}
