import { type BucketLimit, isDtError } from "@dt/core";
import type { Events } from "@dt/core/internal";
import type { Check } from "./check.ts";
import type { KeyedEvents } from "./events.ts";
import type { Counts } from "./key-home.ts";
import type { KeyedSettings } from "./options.ts";
import { fresh } from "./outcome.ts";

/** A call that the store could not decide is worth asking again after so long, in milliseconds. */
const AGAIN_MS = 1_000;

/** What became of calls: counts, events, and what a limit makes of a refusal and of a store that is away. */
export class Tally {
  readonly counts: Counts = {
    ...{ decisions: 0, local: 0, granted: 0, refused: 0, wouldRefuse: 0, unchecked: 0 },
    ...{ requests: 0, roundTrips: 0, slotsLost: 0 },
  };
  readonly #settings: KeyedSettings;
  readonly #events: Events<KeyedEvents>;

  constructor(settings: KeyedSettings, events: Events<KeyedEvents>) {
    this.#settings = settings;
    this.#events = events;
  }

  /** Counts a decision; with `enforce: false` every call goes on. */
  counted(key: string, cost: number, check: Check): Check {
    const { limitedBy, retryAfterMs } = check;
    if (check.allowed) {
      this.granted(key, cost, 0);
      return check;
    }
    this.counts.decisions += 1;
    if (!this.#settings.enforce) {
      this.counts.granted += 1;
      this.counts.wouldRefuse += 1;
      if (this.#events.has("wouldRefuse")) this.#events.emit("wouldRefuse", { key, cost, limitedBy });
      return { ...check, allowed: true };
    }
    this.counts.refused += 1;
    if (this.#events.has("refused")) this.#events.emit("refused", { key, cost, limitedBy, retryAfterMs });
    return check;
  }

  /** A call goes on. */
  granted(key: string, cost: number, waitedMs: number): void {
    this.counts.decisions += 1;
    this.counts.granted += 1;
    if (this.#events.has("grant")) this.#events.emit("grant", { key, cost, waitedMs });
  }

  /** What becomes of a call while the store is away. */
  withoutStore(key: string, cost: number, limit: BucketLimit, error: unknown): Check {
    const { enforce, whenStoreLost } = this.#settings;
    if (!isDtError(error) || !error.code.startsWith("DT_STORE_")) throw error;
    const mode = enforce ? whenStoreLost : "allow";
    if (mode === "throw") throw error;
    const known = { ...fresh(limit), remaining: 0, slot: undefined, storeError: error };
    if (mode === "allow") {
      this.counts.decisions += 1;
      this.counts.granted += 1;
      this.counts.unchecked += 1;
      if (this.#events.has("unchecked")) this.#events.emit("unchecked", { key, cost, error });
      return { ...known, allowed: true, limitedBy: undefined, retryAfterMs: 0 };
    }
    return this.counted(key, cost, { ...known, allowed: false, limitedBy: "store", retryAfterMs: AGAIN_MS });
  }

  /** A call that waits was not served in time. */
  timedOut(): void {
    this.counts.decisions += 1;
    this.counts.refused += 1;
  }
}
