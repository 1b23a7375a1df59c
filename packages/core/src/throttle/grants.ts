import type { Events } from "../internal/events.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Allowance } from "./allowance.ts";
import { checkDeposit } from "./check-tokens.ts";
import type { ThrottleEvents } from "./events.ts";
import type { TokenQueue } from "./token-queue.ts";

/**
 * Tokens that were granted together, and the epoch they belong to. What is known of a plain number is too little to
 * give it back safely.
 */
export interface Grant {
  /** How many tokens are granted; 0 when there were none. */
  readonly tokens: number;
  /** The epoch they were granted in, numbered by the store's clock. */
  readonly epoch: number;
  /**
   * Gives back `k` of them that were not used and will not be; without `k` all that were not given back yet, and never
   * more than those. While their epoch lasts they can be granted again, and the answer is how many. Later, or when this
   * process has given up its share of them meanwhile, it is 0: they are lost, and at most count as unused for the mode.
   * It is never below 0.
   * @throws DtError `DT_INVALID_COST`
   */
  deposit(k?: number): number;
}

/** Makes grants, and takes tokens back: within their epoch to be granted again, else only as unused for the mode. */
export class Grants {
  readonly #runtime: Runtime;
  readonly #allowance: Allowance;
  readonly #queue: TokenQueue;
  readonly #events: Events<ThrottleEvents>;

  constructor(runtime: Runtime, allowance: Allowance, queue: TokenQueue, events: Events<ThrottleEvents>) {
    this.#runtime = runtime;
    this.#allowance = allowance;
    this.#queue = queue;
    this.#events = events;
  }

  /** The grant of tokens that are granted at this instant. */
  of(tokens: number): Grant {
    const { epoch, turn } = this.#allowance;
    let left = tokens;
    return {
      tokens,
      epoch,
      deposit: (k = left) => {
        checkDeposit(k);
        const returned = Math.min(k, left);
        left -= returned;
        return this.#takeBack(returned, epoch, turn);
      },
    };
  }

  /** Counts up to `n` tokens of this epoch as unused; returns how many. */
  countIdle(n: number): number {
    this.#look();
    const accepted = this.#allowance.allotment.countIdle(n);
    this.#tell(this.#allowance.epoch, accepted, false);
    return accepted;
  }

  #takeBack(tokens: number, epoch: number, turn: number): number {
    if (tokens === 0) return 0;
    this.#look();
    const allowance = this.#allowance;
    if (turn !== allowance.turn) {
      if (allowance.countIdleLate(turn, tokens)) this.#tell(epoch, tokens, false);
      return 0;
    }
    const again = allowance.allotment.takeBack(tokens);
    this.#tell(epoch, again, true);
    this.#tell(epoch, tokens - again, false);
    if (this.#queue.size > 0) this.#queue.serve();
    return again;
  }

  /** Notices an epoch that has ended meanwhile, before anything is taken back. */
  #look(): void {
    const nowMs = this.#runtime.now();
    if (nowMs >= this.#allowance.untilMs) this.#allowance.refresh(nowMs, false);
  }

  #tell(epoch: number, tokens: number, regrantable: boolean): void {
    if (tokens > 0 && this.#events.has("deposit")) this.#events.emit("deposit", { epoch, tokens, regrantable });
  }
}
