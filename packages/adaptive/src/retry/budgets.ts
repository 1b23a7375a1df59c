/** Says whether one more retry may go out, and hears how attempts end. */
export interface Budget {
  /** `retries` and `inflight` are those of now; `inflight` are all calls, those being retried included. */
  allows(retries: number, inflight: number): boolean;
  /** An attempt was taken by the callee, or was not. */
  ended(taken: boolean): void;
}

/**
 * Retries may be a part of the calls in flight: `retries / inflight` up to `ratio`, and up to `minRetries` of them in
 * any case.
 */
export class ShareBudget implements Budget {
  readonly #ratio: number;
  readonly #minRetries: number;

  constructor(ratio: number, minRetries: number) {
    this.#ratio = ratio;
    this.#minRetries = minRetries;
  }

  allows(retries: number, inflight: number): boolean {
    return retries < this.#minRetries || retries / inflight <= this.#ratio;
  }

  ended(): void {}
}

/**
 * As gRPC throttles retries: each attempt that is refused or fails takes a token, each that succeeds gives `ratio` of
 * one, and retries go out while more than half of the tokens are there.
 */
export class TokenBudget implements Budget {
  readonly #max: number;
  readonly #ratio: number;
  tokens: number;

  constructor(max: number, ratio: number) {
    this.#max = max;
    this.#ratio = ratio;
    this.tokens = max;
  }

  allows(): boolean {
    return this.tokens > this.#max / 2;
  }

  ended(taken: boolean): void {
    this.tokens = taken ? Math.min(this.#max, this.tokens + this.#ratio) : Math.max(0, this.tokens - 1);
  }
}
