import { type BucketLimit, type CallCounts, type CallResult, isDtError } from "@dt/core";
import { type Events, resultOf, Tally } from "@dt/core/internal";
import type { Check } from "./check.ts";
import type { KeyedEvents } from "./events.ts";
import type { KeyCounts } from "./key-counts.ts";
import type { Counts } from "./key-home.ts";
import type { KeyedSettings } from "./options.ts";
import { fresh } from "./outcome.ts";

/** A call that the store could not decide is worth asking again after so long, in milliseconds. */
const AGAIN_MS = 1_000;

/** A call of a key that is to be decided. */
export interface KeyedCall {
  readonly key: string;
  readonly cost: number;
  /** Those of the limiter that it came by. */
  readonly counts: KeyCounts | undefined;
}

/** A call that waits, or that may fail after a while. */
export interface KeyedWaiter extends KeyedCall {
  readonly sinceMs: number;
  readonly priority: number;
  readonly signal: AbortSignal | undefined;
}

/** What became of calls: counts, events, and what a limit makes of a refusal and of a store that is away. */
export class Decisions {
  readonly counts: Counts = {
    ...{ decisions: 0, local: 0, wouldRefuse: 0, unchecked: 0 },
    ...{ requests: 0, roundTrips: 0, slotsLost: 0 },
  };
  readonly #tally = new Tally();
  readonly #settings: KeyedSettings;
  readonly #events: Events<KeyedEvents>;

  constructor(settings: KeyedSettings, events: Events<KeyedEvents>) {
    this.#settings = settings;
    this.#events = events;
  }

  get calls(): CallCounts {
    return this.#tally.counts();
  }

  /** True where a limit made a call wait, or refused one, within the last 30 s. */
  isLimiting(nowMs: number): boolean {
    return this.#tally.isLimiting(nowMs);
  }

  /** Decides a call that does not wait; with `enforce: false` every call goes on. */
  checked(call: KeyedCall, check: Check): Check {
    const { key, cost } = call;
    const { limitedBy, retryAfterMs } = check;
    if (check.allowed) {
      this.granted(call, 0);
      return check;
    }
    this.counts.decisions += 1;
    if (!this.#settings.enforce) {
      this.#grant(call);
      this.counts.wouldRefuse += 1;
      if (this.#events.has("wouldRefuse")) this.#events.emit("wouldRefuse", { key, cost, limitedBy });
      return { ...check, allowed: true };
    }
    this.#count("refused", call);
    // Callers that wait may wait for the store alone; where they do not, they say so themselves.
    if (limitedBy !== "store" && limitedBy !== "waiting") this.limited(call);
    if (this.#events.has("refused")) this.#events.emit("refused", { key, cost, limitedBy, retryAfterMs });
    return check;
  }

  /** The limit makes a call wait, or refuses it. */
  limited({ counts }: Pick<KeyedCall, "counts">): void {
    const nowMs = this.#settings.runtime.now();
    this.#tally.limited(nowMs);
    counts?.limited(nowMs);
  }

  /** A call goes on that the limit did not hold up. */
  granted(call: KeyedCall, waitedMs: number): void {
    const { key, cost } = call;
    this.counts.decisions += 1;
    this.#grant(call);
    if (this.#events.has("grant")) this.#events.emit("grant", { key, cost, waitedMs });
  }

  /** A call goes on that the limit made wait. */
  served(call: KeyedWaiter): void {
    const { key, cost } = call;
    this.counts.decisions += 1;
    this.#count("granted", call);
    this.limited(call);
    this.told("granted", call);
    if (this.#events.has("grant")) this.#events.emit("grant", { key, cost, waitedMs: this.#waitedMs(call) });
  }

  /** A call has come out with this error. */
  failed(error: unknown, call: KeyedWaiter): void {
    // What costs more than its key ever has makes no sense, and is no call.
    if (isDtError(error, "DT_INVALID_COST")) return;
    const result = resultOf(error, call.signal);
    this.counts.decisions += 1;
    this.#count(result, call);
    this.told(result, call);
  }

  /** Tells listeners how a call came out that waited or was refused. */
  told(result: CallResult, call: KeyedWaiter): void {
    if (!this.#events.has("decided")) return;
    const { key, cost, priority } = call;
    this.#events.emit("decided", { key, result, waitedMs: this.#waitedMs(call), cost, priority });
  }

  /**
   * What becomes of a call while the store is away: it goes on, or is refused, or fails with the store's error.
   * @throws the error, where it fails
   */
  withoutStore(call: KeyedCall, limit: BucketLimit, error: unknown): Check {
    const { enforce, whenStoreLost } = this.#settings;
    if (!isDtError(error) || !error.code.startsWith("DT_STORE_")) throw error;
    const mode = enforce ? whenStoreLost : "allow";
    if (mode === "throw") throw error;
    const { key, cost } = call;
    const known = { ...fresh(limit), remaining: 0, slot: undefined, storeError: error };
    if (mode === "allow") {
      this.counts.decisions += 1;
      this.#grant(call);
      this.counts.unchecked += 1;
      if (this.#events.has("unchecked")) this.#events.emit("unchecked", { key, cost, error });
      return { ...known, allowed: true, limitedBy: undefined, retryAfterMs: 0 };
    }
    return this.checked(call, { ...known, allowed: false, limitedBy: "store", retryAfterMs: AGAIN_MS });
  }

  #grant({ counts }: KeyedCall): void {
    this.#tally.granted += 1;
    if (counts) counts.granted += 1;
  }

  #count(result: CallResult, { counts }: KeyedCall): void {
    this.#tally.count(result);
    counts?.count(result);
  }

  #waitedMs({ sinceMs }: KeyedWaiter): number {
    return this.#settings.runtime.now() - sinceMs;
  }
}
