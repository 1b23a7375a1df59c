import type { Events } from "../internal/events.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Allowance } from "./allowance.ts";
import { checkDeposit } from "./check-tokens.ts";
import type { Part } from "./collected.ts";
import type { ThrottleEvents } from "./events.ts";
import type { TokenQueue } from "./token-queue.ts";

/** Tokens that were granted together, and the epoch that they belong to: some of them can be given back. */
export interface Grant {
  /** How many tokens are granted. */
  readonly tokens: number;
  /**
   * The epoch in which they were granted, numbered by the store's clock; the last of them, where there were several.
   */
  readonly epoch: number;
  /**
   * Gives back `n` tokens that were not used and will not be; at most what is left of the grant.
   *
   * While their epoch lasts they can be granted again. Later, or once this member has given up its share of them, they
   * are lost: they only count as unused for the mode. Of a grant that was collected over several epochs the last part
   * goes back first.
   * @param n how many tokens were not used: a whole number >= 0
   * @returns how many of them can be granted again
   * @throws DtError `DT_INVALID_COST`
   * @example grant.deposit(grant.tokens - messages.length)
   */
  deposit(n: number): number;
}

/** Makes grants, and takes tokens back: within their epoch to be granted again, else only as unused for the mode. */
export class Grants {
  readonly #runtime: Runtime;
  readonly #allowance: Allowance;
  readonly #queue: TokenQueue;
  readonly #events: Events<ThrottleEvents>;

  /** Tokens that were given back so far, and could be granted again. */
  deposited = 0;

  constructor(runtime: Runtime, allowance: Allowance, queue: TokenQueue, events: Events<ThrottleEvents>) {
    this.#runtime = runtime;
    this.#allowance = allowance;
    this.#queue = queue;
    this.#events = events;
  }

  /** The grant of what was granted, the oldest part first. */
  of(parts: readonly Part[]): Grant {
    const left = [...parts];
    return {
      tokens: left.reduce((sum, { tokens }) => sum + tokens, 0),
      epoch: (left.at(-1) as Part).epoch,
      deposit: (n) => {
        checkDeposit(n);
        let again = 0;
        for (let missing = n; missing > 0; ) {
          const last = left.pop();
          if (last === undefined) break;
          const tokens = Math.min(last.tokens, missing);
          missing -= tokens;
          // Before it goes back: a listener that hears of it may deposit as well.
          if (tokens < last.tokens) left.push({ ...last, tokens: last.tokens - tokens });
          again += this.takeBack({ ...last, tokens });
        }
        return again;
      },
    };
  }

  /** Takes tokens back; returns how many of them can be granted again. */
  takeBack({ tokens, epoch, turn }: Part): number {
    this.#look();
    const allowance = this.#allowance;
    if (turn !== allowance.turn) {
      if (allowance.countIdleLate(turn, tokens)) this.#report(epoch, tokens, false);
      return 0;
    }
    const again = allowance.allotment.takeBack(tokens);
    this.deposited += again;
    this.#report(epoch, again, true);
    this.#report(epoch, tokens - again, false);
    if (this.#queue.size > 0) this.#queue.serve();
    return again;
  }

  /** Notices an epoch that has ended meanwhile, before anything is taken back. */
  #look(): void {
    const nowMs = this.#runtime.now();
    if (nowMs >= this.#allowance.untilMs) this.#allowance.refresh(nowMs, false);
  }

  #report(epoch: number, tokens: number, regrantable: boolean): void {
    if (tokens > 0 && this.#events.has("deposit")) this.#events.emit("deposit", { epoch, tokens, regrantable });
  }
}
