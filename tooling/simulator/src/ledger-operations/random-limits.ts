import type { LimitRecordRow } from "@dt/core/ledger";
import { VirtualRuntime } from "@dt/core/testing";
import type { TimedGroups } from "./both.ts";

/**
 * Stored limits in a comparison of ledgers: which members have them, and how an operator changes the record. In every
 * second seed, of a store that keeps them; their chance is of their own, so that the other operations stay the same.
 */
export class RandomLimits {
  readonly #chance: VirtualRuntime;
  readonly #isUsed: boolean;
  readonly #stored = new Map<string, boolean>();
  #revision = 0;

  constructor(groups: TimedGroups, seed: number) {
    this.#chance = new VirtualRuntime({ seed: seed + 1_000 });
    this.#isUsed = groups.setLimit !== undefined && seed % 2 === 0;
  }

  /** Whether the requests of an incarnation have `stored`. It changes its mind now and then. */
  stored(incarnation: string): { readonly stored?: boolean } {
    if (!this.#isUsed) return {};
    const before = this.#stored.get(incarnation) ?? this.#chance.random() < 0.6;
    const stored = this.#chance.random() < 0.03 ? !before : before;
    this.#stored.set(incarnation, stored);
    return stored || this.#chance.random() < 0.5 ? { stored } : {};
  }

  /** The next record, where an operator changes it now: for good, for a while, or removed. */
  next(clockMs: number): LimitRecordRow | undefined {
    if (!this.#isUsed || this.#chance.random() > 0.04) return undefined;
    const max = this.#pick(3, 10, 60, 200, 1_000, 1e12);
    const values = this.#pick(true, true, true, false) ? JSON.stringify({ max }) : null;
    const untilMs = this.#pick(null, clockMs + 700.5, clockMs + 5_000, clockMs + 60_000);
    this.#revision += 1;
    return { revision: this.#revision, values, untilMs: values === null ? null : untilMs, history: "[]" };
  }

  #pick<T>(...values: readonly T[]): T {
    return values[Math.floor(this.#chance.random() * values.length)] as T;
  }
}
