import type { Runtime } from "../runtime/runtime.ts";
import type { Slot } from "./slot.ts";

/** What a call has taken. */
export interface Taken {
  /** Gives it back: the call does not go through. */
  giveBack(): void;
  /** Whether the call may still go out with it, a while after it was taken. */
  isFresh(): boolean;
}

/** A slot of the fleet that waits for tokens is taken from others. It does so for no longer, in milliseconds. */
const TURN_MS = 100;

/** Before all other callers of this process. */
const FRONT = 9;

/** How one call takes what it needs. */
export interface SlotWays {
  readonly priority: number;
  /** Takes a slot of the fleet. */
  enter(priority: number): Promise<Slot>;
  /** Takes all tokens. What was taken is in the list also where this rejects. */
  take(into: Taken[], priority: number): Promise<void>;
}

/**
 * The fleet's slot and the tokens of one call. The slot comes first, since tokens get old. It is given back while the
 * next token is farther than a turn away, and taken again from the front of the queue once the tokens are there.
 */
export class FleetSlot {
  readonly #runtime: Runtime;
  readonly #ways: SlotWays;
  #slot: Slot | undefined;
  #tokens: Taken[] = [];

  constructor(runtime: Runtime, ways: SlotWays) {
    this.#runtime = runtime;
    this.#ways = ways;
  }

  /** Resolves to the slot, at an instant at which the call has everything. */
  async take(): Promise<Slot> {
    const { priority, enter } = this.#ways;
    this.#slot = await enter(priority);
    await this.#takeTokens(priority, true);
    while (this.#slot === undefined || this.#slot.lost) {
      this.#slot?.release();
      this.#slot = undefined;
      this.#slot = await enter(FRONT);
      if (this.#tokens.every((taken) => taken.isFresh())) continue;
      // Their epoch is over. The slot now stays: the next tokens of this process are for this call.
      this.#giveBackTokens();
      await this.#takeTokens(FRONT, false);
    }
    return this.#slot;
  }

  /** The call does not go through. */
  giveBack(): void {
    this.#slot?.release();
    this.#giveBackTokens();
  }

  async #takeTokens(priority: number, lends: boolean): Promise<void> {
    const giveBackSlot = (): void => {
      this.#slot?.release();
      this.#slot = undefined;
    };
    const timer = lends ? this.#runtime.setTimer(giveBackSlot, TURN_MS, { keepAlive: false }) : undefined;
    try {
      await this.#ways.take(this.#tokens, priority);
    } finally {
      timer?.cancel();
    }
  }

  #giveBackTokens(): void {
    for (const { giveBack } of this.#tokens) giveBack();
    this.#tokens = [];
  }
}
