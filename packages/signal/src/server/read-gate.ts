import type { Runtime, Timer } from "@dt/core";
import type { ThrottlingReason } from "../protocol/reason.ts";

/** What may keep a connection from being read: the reason of a throttle, or a client that does not read its answers. */
export type Hold = ThrottlingReason | "outgoing";

/** Reads a connection while nothing holds it. */
export class ReadGate {
  readonly #runtime: Runtime;
  readonly #open: () => void;
  readonly #shut: () => void;
  /** What holds it, with the time at which that ends by itself. */
  readonly #holds = new Map<Hold, { readonly untilMs: number; readonly timer: Timer | undefined }>();
  #shutAtMs = 0;
  #pausedMs = 0;
  #pauses = 0;

  constructor(runtime: Runtime, open: () => void, shut: () => void) {
    this.#runtime = runtime;
    this.#open = open;
    this.#shut = shut;
  }

  get held(): boolean {
    return this.#holds.size > 0;
  }

  heldFor(why: Hold): boolean {
    return this.#holds.has(why);
  }

  /** How often it was held, and for how many milliseconds. */
  get paused(): { readonly times: number; readonly ms: number } {
    return { times: this.#pauses, ms: this.#pausedMs + (this.held ? this.#runtime.now() - this.#shutAtMs : 0) };
  }

  /** Holds it until a time, or until it is released. One reason's holds overlap: the latest end counts. */
  hold(why: Hold, untilMs: number = Number.POSITIVE_INFINITY): void {
    const known = this.#holds.get(why);
    if (known && known.untilMs >= untilMs) return;
    known?.timer?.cancel();
    const nowMs = this.#runtime.now();
    if (!this.held) {
      this.#shutAtMs = nowMs;
      this.#pauses += 1;
      this.#shut();
    }
    const timer =
      untilMs === Number.POSITIVE_INFINITY
        ? undefined
        : this.#runtime.setTimer(() => this.release(why), untilMs - nowMs, { keepAlive: false });
    this.#holds.set(why, { untilMs, timer });
  }

  release(why: Hold): void {
    const known = this.#holds.get(why);
    if (known === undefined) return;
    known.timer?.cancel();
    this.#holds.delete(why);
    if (this.held) return;
    this.#pausedMs += this.#runtime.now() - this.#shutAtMs;
    this.#open();
  }

  /** Ends without opening. */
  close(): void {
    for (const { timer } of this.#holds.values()) timer?.cancel();
    if (this.held) this.#pausedMs += this.#runtime.now() - this.#shutAtMs;
    this.#holds.clear();
  }
}
