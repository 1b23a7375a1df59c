/** Tokens that were granted in one epoch. */
export interface Part {
  readonly tokens: number;
  /** The epoch, numbered by the store's clock. */
  readonly epoch: number;
  /** The same epoch, counted here: see `Allowance.turn`. */
  readonly turn: number;
}

/** What the head of the queue has been granted so far, the oldest first. */
export class Collected {
  #parts: Part[] = [];
  #tokens = 0;

  get tokens(): number {
    return this.#tokens;
  }

  add(part: Part): void {
    this.#parts.push(part);
    this.#tokens += part.tokens;
  }

  /** Takes up to `n` tokens out, the oldest first: the newest can still be granted again. */
  take(n: number): Part[] {
    const taken: Part[] = [];
    let missing = Math.min(n, this.#tokens);
    this.#tokens -= missing;
    while (missing > 0) {
      const part = this.#parts.shift() as Part;
      const tokens = Math.min(part.tokens, missing);
      if (tokens < part.tokens) this.#parts.unshift({ ...part, tokens: part.tokens - tokens });
      taken.push({ ...part, tokens });
      missing -= tokens;
    }
    return taken;
  }

  /** Takes everything out. */
  takeAll(): readonly Part[] {
    const parts = this.#parts;
    this.#parts = [];
    this.#tokens = 0;
    return parts;
  }
}
