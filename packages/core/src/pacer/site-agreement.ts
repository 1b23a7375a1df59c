import { DtError, isDtError } from "../errors/dt-error.ts";
import { TERMS_HOLD_MS } from "../permits/terms-hold.ts";
import type { Runtime, Timer } from "../runtime/runtime.ts";
import type { Neighbour } from "./stealing.ts";

/** While permits are asked for, every other site is told the terms so often: it must not forget them in between. */
const TELL_EVERY_MS = 3_000;
/** A process that was refused asks again after so long at the earliest. */
const ASK_AGAIN_MS = 1_000;
/**
 * So long a process that comes new waits for the other sites' word. One that is gone or hangs is not waited for longer.
 */
const FIRST_WORD_MS = 250;

/**
 * Keeps processes from using different lists of sites at the same time. A site that is only in one of two lists sees
 * only processes of that one, so each process also tells its terms to every other site it knows (P10): a site in both
 * lists then refuses whoever came later, which takes no permit anywhere as long as it is refused.
 */
export class SiteAgreement {
  readonly #runtime: Runtime;
  readonly #neighbours: readonly Neighbour[];
  readonly #waiting: () => boolean;
  readonly #refusals = new Map<string, DtError>();
  #told = Promise.resolve();
  #toldMs = Number.NEGATIVE_INFINITY;
  #used = false;
  #timer: Timer | undefined;
  #closed = false;

  /** @param waiting true while callers wait, who may have permits reserved */
  constructor(runtime: Runtime, neighbours: readonly Neighbour[], waiting: () => boolean) {
    this.#runtime = runtime;
    this.#neighbours = neighbours;
    this.#waiting = waiting;
  }

  /**
   * Comes before every request for permits.
   * @throws DtError `DT_PACE_MISMATCH` while a site refuses the terms
   */
  async assure(): Promise<void> {
    const sinceMs = this.#runtime.now() - this.#toldMs;
    const refused = this.#refusals.size > 0;
    this.#used = true;
    if (sinceMs >= (refused ? ASK_AGAIN_MS : TELL_EVERY_MS)) this.#tell();
    if (sinceMs >= (refused ? ASK_AGAIN_MS : TERMS_HOLD_MS)) await this.#firstWord();
    for (const refusal of this.#refusals.values()) throw refusal;
  }

  /** Ends; resolves when nothing is under way. */
  close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    return this.#told;
  }

  #tell(): void {
    this.#timer?.cancel();
    if (this.#closed) return;
    this.#toldMs = this.#runtime.now();
    this.#used = false;
    this.#told = Promise.all(this.#neighbours.map((neighbour) => this.#ask(neighbour))).then(() => undefined);
    const again = (): void => {
      if (this.#used || this.#waiting()) this.#tell();
    };
    this.#timer = this.#runtime.setTimer(again, TELL_EVERY_MS, { keepAlive: false });
  }

  async #ask({ name, client }: Neighbour): Promise<void> {
    try {
      await client.sayTerms();
      this.#refusals.delete(name);
    } catch (error) {
      // A site that cannot be reached has not changed its mind.
      if (!isDtError(error, "DT_PACE_MISMATCH")) return;
      this.#refusals.set(name, new DtError("DT_PACE_MISMATCH", `site ${name}: ${error.message}`, { cause: error }));
    }
  }

  #firstWord(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#runtime.setTimer(resolve, FIRST_WORD_MS);
      void this.#told.then(() => {
        timer.cancel();
        resolve();
      });
    });
  }
}
