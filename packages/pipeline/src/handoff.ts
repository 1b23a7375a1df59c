import type { Ending } from "./ending.ts";

/** Why an ending was not taken: the loop over them was left. */
export const CLOSED: unique symbol = Symbol("closed");

interface Offered<Input, Result> {
  readonly ending: Ending<Input, Result>;
  taken(): void;
  refused(reason: unknown): void;
}

/** Gives endings to a loop over them. One is taken when the loop asks for the next. */
export class Handoff<Input, Result> {
  readonly #offered: Offered<Input, Result>[] = [];
  #current: Offered<Input, Result> | undefined;
  #asked: (() => void) | undefined;
  #closed = false;

  write(ending: Ending<Input, Result>): Promise<void> {
    if (this.#closed) return Promise.reject(CLOSED);
    return new Promise((resolve, reject) => {
      this.#offered.push({ ending, taken: resolve, refused: reject });
      this.#asked?.();
    });
  }

  /** The next ending; undefined when no more come. */
  async next(): Promise<Ending<Input, Result> | undefined> {
    this.#current?.taken();
    this.#current = this.#offered.shift();
    if (this.#current !== undefined || this.#closed) return this.#current?.ending;
    await new Promise<void>((resolve) => {
      this.#asked = resolve;
    });
    this.#asked = undefined;
    this.#current = this.#offered.shift();
    return this.#current?.ending;
  }

  /** Takes no more, and not what was offered either. */
  close(): void {
    this.#closed = true;
    this.#asked?.();
    this.#current?.refused(CLOSED);
    for (const offered of this.#offered.splice(0)) offered.refused(CLOSED);
  }
}
