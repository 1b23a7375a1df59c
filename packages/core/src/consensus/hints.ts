import { HintBudget } from "../internal/hint-budget.ts";
import type { MembershipSettings } from "./membership-settings.ts";
import type { StoreCalls } from "./store-calls.ts";

/** What listening takes. */
export interface HintsSettings extends Pick<MembershipSettings, "store" | "group" | "runtime" | "syncIntervalMs"> {
  /** True where only hints of pauses are heeded (R35). */
  readonly pausesOnly: boolean;
}

/**
 * Listens for hints of changes, where the store sends hints; the store re-establishes a subscription it loses. All
 * hints between two syncs cause one sync, and a {@link HintBudget} bounds these.
 */
export class Hints {
  readonly #settings: HintsSettings;
  readonly #calls: StoreCalls;
  readonly #sync: (afterMs: number) => void;
  readonly #budget: HintBudget;
  /**
   * Local time at which what was hinted may be asked for; undefined when nothing was hinted since the last call began.
   */
  #dueMs: number | undefined;
  #listening = false;
  #ended = false;
  #endHints: (() => void) | undefined;

  /** @param sync makes a sync come after this many milliseconds, if it is not due earlier anyway */
  constructor(settings: HintsSettings, calls: StoreCalls, sync: (afterMs: number) => void) {
    this.#settings = settings;
    this.#calls = calls;
    this.#sync = sync;
    this.#budget = new HintBudget(settings.syncIntervalMs);
  }

  /** Begins to listen, unless it does or cannot. After a failure the next call tries again. */
  listen(): void {
    const { store, group } = this.#settings;
    if (!store.capabilities.hints || !store.onHint || this.#listening) return;
    this.#listening = true;
    const onHint = store.onHint.bind(store);
    const subscribe = async (signal: AbortSignal): Promise<void> => {
      const endHints = await onHint(group, (about) => this.#hear(about), signal);
      // Too late, or we have left: nobody else would end it. Kept in the same step, so that whoever leaves from now on
      // finds it.
      if (signal.aborted || this.#ended) endHints();
      else this.#endHints = endHints;
    };
    this.#calls.withDeadline("onHint", subscribe).catch((error: unknown) => {
      this.#listening = false;
      this.#calls.failed("onHint", error);
    });
  }

  /** A call begins: it learns all that was hinted so far. */
  heeded(): void {
    this.#dueMs = undefined;
  }

  /** A call ended: what was hinted meanwhile, it may not have seen. */
  again(): void {
    if (this.#dueMs !== undefined) this.#sync(Math.max(0, this.#dueMs - this.#settings.runtime.now()));
  }

  /** Ends listening for good. */
  end(): void {
    this.#ended = true;
    this.#endHints?.();
    this.#endHints = undefined;
  }

  #hear(about?: "pause"): void {
    if (this.#dueMs !== undefined || (this.#settings.pausesOnly && about !== "pause")) return;
    const nowMs = this.#settings.runtime.now();
    const afterMs = this.#budget.take(nowMs);
    this.#dueMs = nowMs + afterMs;
    this.#sync(afterMs);
  }
}
