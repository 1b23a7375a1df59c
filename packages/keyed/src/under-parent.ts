import { type BucketLimit, isDtError } from "@dt/core";
import type { AcquireSettings } from "@dt/core/internal";
import type { ActiveKey } from "./active-key.ts";
import type { Check } from "./check.ts";
import { notInTime } from "./errors.ts";
import type { KeyedSettings } from "./options.ts";
import type { Taken } from "./outcome.ts";

/** What a call goes on with. */
interface Entered {
  /** Units of its key, and its slot. */
  readonly taken: Taken;
  /** What the parent gave. */
  readonly parent: Check["slot"];
}

/** The way of calls that wait from their key to its parent, where it has one. */
export class UnderParent {
  readonly #settings: KeyedSettings;
  readonly #limitOf: (key: string) => BucketLimit;

  constructor(settings: KeyedSettings, limitOf: (key: string) => BucketLimit) {
    this.#settings = settings;
    this.#limitOf = limitOf;
  }

  /** True while the parent of a key keeps calls waiting, as far as that is known. */
  isLimiting(key: string): boolean {
    return this.#settings.parentOf(key)?.status?.().limiting === true;
  }

  /**
   * A call has the units of its key. Resolves to what it goes on with, or to undefined where these units lapsed while
   * it waited for the parent, and the key has no others.
   */
  async enter(active: ActiveKey, cost: number, taken: Taken, how: AcquireSettings): Promise<Entered | undefined> {
    // Without a parent the units were spent as they were handed out.
    if (!active.hasParent) return { taken, parent: undefined };
    const parent = await this.#wait(active.key, cost, taken, how);
    if (taken.isFresh()) {
      taken.confirm();
      active.wentOn();
      return { taken, parent };
    }
    taken.refund();
    // What the parent gave is not given up: with a busy parent the next try would take as long, and end alike.
    try {
      const again = await active.retake(cost, this.#limitOf(active.key));
      if (again.allowed) {
        again.confirm();
        return { taken: again, parent };
      }
    } catch (error) {
      parent?.release();
      throw error;
    }
    parent?.release();
    return undefined;
  }

  /** Waits for the parent of a key. Units of the key go back where it refuses. */
  async #wait(key: string, cost: number, taken: Taken, how: AcquireSettings): Promise<Check["slot"]> {
    const { signal, timeoutMs: timeout, priority } = how;
    const { name, parentOf } = this.#settings;
    try {
      return await parentOf(key)?.acquire(cost, { signal, timeout, priority });
    } catch (error) {
      taken.refund();
      if (!isDtError(error, "DT_TIMEOUT")) throw error;
      throw notInTime({ name, key }, timeout, { retryAfterMs: error.retryAfterMs, limitedBy: "parent" });
    }
  }
}
