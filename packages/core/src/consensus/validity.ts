import type { MembershipHost, MembershipSettings } from "./membership-settings.ts";
import type { StoreClock } from "./store-clock.ts";

/**
 * How long a share may be used: counted from the sending of the last successful call, for as long as the store's clock
 * is trusted.
 */
export class Validity {
  readonly #settings: MembershipSettings;
  readonly #host: MembershipHost;
  readonly #clock: StoreClock;
  #sentMs = 0;
  #answeredUntilMs = 0;
  #everValid = false;
  #lostAtMs: number | undefined;

  constructor(settings: MembershipSettings, host: MembershipHost, clock: StoreClock) {
    this.#settings = settings;
    this.#host = host;
    this.#clock = clock;
  }

  /** Local time until which the share may be used. */
  get untilMs(): number {
    return Math.min(this.#answeredUntilMs, this.#clock.trustedUntilMs);
  }

  /** How long ago the request was sent that was answered last, in milliseconds; 0 before the first answer. */
  get silentMs(): number {
    return this.#everValid ? this.#settings.runtime.now() - this.#sentMs : 0;
  }

  /** Local time until which the last answer alone would be valid; what `hold` counts from. */
  get answeredUntilMs(): number {
    return this.#answeredUntilMs;
  }

  /** A call that was sent at `sentMs` was answered. */
  renew(sentMs: number): void {
    this.#everValid = true;
    this.#sentMs = sentMs;
    this.#answeredUntilMs = sentMs + this.#settings.validityMs;
    if (this.#lostAtMs === undefined) return;
    const lostMs = this.#settings.runtime.now() - this.#lostAtMs;
    this.#lostAtMs = undefined;
    if (this.#host.events.has("validityRegained")) this.#host.events.emit("validityRegained", { lostMs });
  }

  /** Nothing is valid any more. */
  end(): void {
    this.#answeredUntilMs = 0;
  }

  /** Tells once that validity is lost, if it is: asked whenever a call fails, and when the machine was suspended. */
  noticeLoss(): void {
    const { runtime, policy } = this.#settings;
    const nowMs = runtime.now();
    if (!this.#everValid || this.#lostAtMs !== undefined || nowMs < this.untilMs) return;
    this.#lostAtMs = nowMs;
    const { silentMs } = this;
    this.#host.changed();
    if (this.#host.events.has("validityLost")) this.#host.events.emit("validityLost", { policy, silentMs });
  }
}
