import type { Passage, Verdict } from "@dt/adaptive";
import type { OnTheirWay } from "./on-their-way.ts";

/** The right to send one request. Whoever has it sends at once, and says how it ended. */
export class Turn {
  readonly #passage: Passage;
  #onItsWay: OnTheirWay | undefined;

  constructor(passage: Passage, onItsWay: OnTheirWay) {
    this.#passage = passage;
    this.#onItsWay = onItsWay;
  }

  /** The head of its answer is there. */
  answered(): void {
    const onItsWay = this.#onItsWay;
    this.#onItsWay = undefined;
    onItsWay?.answered();
  }

  /** It ended. What is said later is not heard. */
  settle(verdict: Verdict): void {
    this.#passage.settle(verdict);
    this.answered();
  }
}
