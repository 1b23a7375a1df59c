import type { Events } from "../internal/events.ts";
import type { Allowance } from "./allowance.ts";
import { type BlockedSources, blockedBy } from "./blocked-by.ts";
import type { ThrottleEvents } from "./events.ts";
import type { BlockedBy, BlockedReason } from "./status.ts";

/** Tells when the reason changes for which callers get no tokens. Looks only while somebody listens. */
export class BlockedWatch {
  readonly #events: Events<ThrottleEvents>;
  readonly #allowance: Allowance;
  readonly #sources: () => BlockedSources;
  #told: BlockedReason | undefined;
  /** Tokens that were refused last because they are too many to be there at once, and in which epoch. */
  #tooMany = { tokens: 1, turn: Number.NEGATIVE_INFINITY };

  constructor(events: Events<ThrottleEvents>, allowance: Allowance, sources: () => BlockedSources) {
    this.#events = events;
    this.#allowance = allowance;
    this.#sources = sources;
  }

  get observed(): boolean {
    return this.#events.has("blocked");
  }

  /** Why so many tokens cannot be granted now, if so. */
  found(nowMs: number, tokens = 1): BlockedBy | undefined {
    return blockedBy(nowMs, this.#sources(), tokens);
  }

  /** The same for the calls there are: one that asked for too many in this epoch or the one before counts as well. */
  foundForCalls(nowMs: number): BlockedBy | undefined {
    const { tokens, turn } = this.#tooMany;
    return this.found(nowMs) ?? (turn >= this.#allowance.turn - 1 ? this.found(nowMs, tokens) : undefined);
  }

  /** A call that does not wait was refused all of several tokens. */
  refused(tokens: number): void {
    const { allotment, turn } = this.#allowance;
    if (tokens > allotment.most && allotment.tokens > 0) this.#tooMany = { tokens, turn };
  }

  /** A caller waits, or will ask for what there is now. */
  look(nowMs: number): void {
    if (!this.observed) return;
    const found = this.foundForCalls(nowMs);
    if (found === undefined) this.over();
    else if (found.reason !== this.#told) {
      this.#told = found.reason;
      this.#events.emit("blocked", found);
    }
  }

  /** A caller got tokens. */
  over(): void {
    if (this.#told === undefined) return;
    this.#told = undefined;
    if (this.observed) this.#events.emit("blocked", OVER);
  }
}

const OVER = { reason: undefined, endsInMs: undefined, message: "tokens are granted", error: undefined } as const;
