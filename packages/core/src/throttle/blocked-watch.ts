import type { Events } from "../internal/events.ts";
import { type BlockedSources, blockedBy } from "./blocked-by.ts";
import type { ThrottleEvents } from "./events.ts";
import type { BlockedBy, BlockedReason } from "./status.ts";

/** Tells when the reason changes for which callers get no tokens. Looks only while somebody listens. */
export class BlockedWatch {
  readonly #events: Events<ThrottleEvents>;
  readonly #sources: () => BlockedSources;
  #told: BlockedReason | undefined;

  constructor(events: Events<ThrottleEvents>, sources: () => BlockedSources) {
    this.#events = events;
    this.#sources = sources;
  }

  get observed(): boolean {
    return this.#events.has("blocked");
  }

  /** Why nothing can be granted now, if so. */
  found(nowMs: number): BlockedBy | undefined {
    return blockedBy(nowMs, this.#sources());
  }

  /** A caller waits, or will ask for what there is now. */
  look(nowMs: number): void {
    if (!this.observed) return;
    const found = this.found(nowMs);
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
