import type { StoreCalls } from "../consensus/store-calls.ts";
import type { CoordinationStore, MemberRef } from "../contract/coordination-store.ts";
import type { SlotHint } from "../contract/demand.ts";
import { HintBudget } from "../internal/hint-budget.ts";
import type { Runtime } from "../runtime/runtime.ts";

/**
 * The store asks a member for slots once in so long, in milliseconds. Hints that cost a request are heeded twice as
 * often, eight of them at once: this bounds a stranger who sends hints without an end. Offers are not counted: one that
 * raises nothing costs nothing, and one that does is bounded by the request that it names.
 */
const ASKED_EVERY_MS = 250;

/** What a member's hints need of it. */
export interface SlotHintsSettings {
  readonly store: CoordinationStore;
  readonly runtime: Runtime;
  readonly group: string;
  readonly member: MemberRef;
}

/** Listens for the store's hints to this member, and hands on those that are what they should be. */
export class SlotHints {
  readonly #settings: SlotHintsSettings;
  readonly #calls: StoreCalls;
  readonly #onHint: (hint: SlotHint) => void;
  readonly #onMissed: (afterMs: number) => void;
  readonly #budget = new HintBudget(ASKED_EVERY_MS);
  #state: "deaf" | "subscribing" | "listening" | "over" = "deaf";
  #endHints: (() => void) | undefined;

  /** @param onMissed hints may have been missed: to ask after so long */
  constructor(
    settings: SlotHintsSettings,
    calls: StoreCalls,
    onHint: (hint: SlotHint) => void,
    onMissed: (afterMs: number) => void,
  ) {
    this.#settings = settings;
    this.#calls = calls;
    this.#onHint = onHint;
    this.#onMissed = onMissed;
  }

  /** True while hints come. */
  get isListening(): boolean {
    return this.#state === "listening";
  }

  /** Begins to listen, unless it does or cannot. */
  listen(): void {
    const { store, group, member } = this.#settings;
    if (!store.capabilities.slots || !store.onSlotHint || this.#state !== "deaf") return;
    this.#state = "subscribing";
    const onSlotHint = store.onSlotHint.bind(store);
    const subscribe = async (signal: AbortSignal): Promise<void> => {
      const endHints = await onSlotHint(group, member, (hint) => this.#heard(hint), signal);
      // Too late, or the member has left: nothing else would end it.
      if (signal.aborted || this.#state === "over") endHints();
      else {
        this.#endHints = endHints;
        this.#state = "listening";
      }
    };
    this.#calls.withDeadline("onSlotHint", subscribe).catch((error: unknown) => {
      if (this.#state === "subscribing") this.#state = "deaf";
      this.#calls.failed("onSlotHint", error);
    });
  }

  /** Ends listening for good. */
  end(): void {
    this.#state = "over";
    this.#endHints?.();
    this.#endHints = undefined;
  }

  #heard(hint: SlotHint | undefined): void {
    if (this.#state === "over") return;
    const nowMs = this.#settings.runtime.now();
    if (hint === undefined) this.#onMissed(this.#budget.take(nowMs));
    else if (isSlotHint(hint) && (hint.kind === "offer" || this.#budget.take(nowMs, 0) === 0)) this.#onHint(hint);
  }
}

/** A store is foreign code, and its channel may be open to strangers. */
function isSlotHint(hint: SlotHint): boolean {
  if (typeof hint !== "object" || hint === null) return false;
  if (hint.kind === "ask") return isCount(hint.give) && isCount(hint.waterLevel);
  const isOffer = hint.kind === "offer" && typeof hint.wanted === "boolean";
  return isOffer && isCount(hint.held) && isCount(hint.seq) && isCount(hint.waterLevel);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
