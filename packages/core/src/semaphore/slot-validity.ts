import type { Events } from "../internal/events.ts";
import type { Runtime, Timer } from "../runtime/runtime.ts";
import type { SemaphoreEvents } from "./events.ts";
import type { SlotShare } from "./slot-share.ts";

/**
 * How long slots may be used: from the sending of the last answered request on. Its end is noticed by a timer, and by
 * each look at a slot, since a process that was stopped wakes before its timers do.
 */
export class SlotValidity {
  readonly #runtime: Runtime;
  readonly #validityMs: number;
  readonly #share: SlotShare;
  readonly #events: Events<SemaphoreEvents>;
  readonly #onLost: (why: string) => void;
  #sentMs: number | undefined;
  #lostAtMs: number | undefined;
  #timer: Timer | undefined;

  /** @param onLost called when it has ended: open slots are lost */
  constructor(
    { runtime, validityMs }: { readonly runtime: Runtime; readonly validityMs: number },
    share: SlotShare,
    events: Events<SemaphoreEvents>,
    onLost: (why: string) => void,
  ) {
    this.#runtime = runtime;
    this.#validityMs = validityMs;
    this.#share = share;
    this.#events = events;
    this.#onLost = onLost;
  }

  /** How long ago the request was sent that was answered last, in milliseconds; 0 before the first answer. */
  get silentMs(): number {
    return this.#sentMs === undefined ? 0 : this.#runtime.now() - this.#sentMs;
  }

  /** A request that was sent at `sentMs` was answered. */
  renew(sentMs: number): void {
    // What has ended was not renewed in time: slots that were open are lost.
    this.look(this.#runtime.now());
    this.#sentMs = sentMs;
    this.#share.validUntilMs = sentMs + this.#validityMs;
    this.#timer ??= this.#arm();
    if (this.#lostAtMs === undefined) return;
    const lostMs = this.#runtime.now() - this.#lostAtMs;
    this.#lostAtMs = undefined;
    if (this.#events.has("validityRegained")) this.#events.emit("validityRegained", { lostMs });
  }

  /** Nothing is valid any more: the machine was suspended. */
  end(): void {
    this.#share.validUntilMs = Number.NEGATIVE_INFINITY;
    this.look(this.#runtime.now(), "the machine was suspended");
  }

  /** Notices once that validity has ended, if it has. */
  look(nowMs: number, why = "the store did not answer in time"): void {
    if (this.#share.isValid(nowMs) || this.#sentMs === undefined || this.#lostAtMs !== undefined) return;
    this.#lostAtMs = nowMs;
    const { silentMs } = this;
    this.#onLost(why);
    if (this.#events.has("validityLost")) this.#events.emit("validityLost", { silentMs });
  }

  /** Ends the watch: no slot is open. */
  cancel(): void {
    this.#timer?.cancel();
  }

  #arm(): Timer {
    // Whole milliseconds: a rest that the clock's fractions cannot express would be due at once, again and again.
    const leftMs = Math.ceil(Math.max(0, this.#share.validUntilMs - this.#runtime.now()));
    return this.#runtime.setTimer(
      () => {
        this.#timer = undefined;
        const nowMs = this.#runtime.now();
        if (this.#share.isValid(nowMs)) this.#timer = this.#arm();
        else this.look(nowMs);
      },
      leftMs,
      { keepAlive: false },
    );
  }
}
