import type { Tally } from "../internal/tally.ts";
import type { SlotMember } from "./slot-member.ts";

/**
 * Knows when it is the limit that keeps calls from their slots. A call that only waits until the store has moved free
 * slots to this process is not limited, and neither is one that waits for the start or for a store that is away.
 */
export class LimitWatch {
  readonly #member: SlotMember;
  readonly #tally: Tally;
  /** True where a call found no slot since the last request was sent. */
  #missed = false;
  /** Slots that the last request wanted for calls that found none; 0 where it came for another reason. */
  #wanted = 0;

  constructor(member: SlotMember, tally: Tally) {
    this.#member = member;
    this.#tally = tally;
  }

  /** A call finds no slot, and waits or is refused. */
  missed(nowMs: number): void {
    this.#missed = true;
    if (this.#isUsedUp(nowMs)) this.#tally.limited(nowMs);
  }

  /** A request is sent, which says that so many slots are wanted. */
  sent(want: number, waits: boolean): void {
    this.#wanted = this.#missed || waits ? want : 0;
    this.#missed = false;
  }

  /**
   * An answer was acted on. Where it gave less than calls needed, and the fleet wants more slots than there are, there
   * was no more to give. Otherwise other processes hold idle ones, which come soon.
   */
  answered(nowMs: number, waits: boolean): void {
    const { waterLevel, capacity, held } = this.#member.share;
    const isShort = this.#wanted > held && waterLevel < capacity && this.#mayUse(nowMs);
    if (isShort || (waits && this.#isUsedUp(nowMs))) this.#tally.limited(nowMs);
  }

  /** True where this process has its part of the slots, so that the store has no more for it as far as is known. */
  #isUsedUp(nowMs: number): boolean {
    if (!this.#mayUse(nowMs)) return false;
    const { over, inUse, cap, held, waterLevel, pausedUntilMs } = this.#member.share;
    return over || nowMs < pausedUntilMs || inUse >= cap || (held > 0 && held >= waterLevel);
  }

  /** True where an answer of the store is in force, in a group that grants slots. */
  #mayUse(nowMs: number): boolean {
    const { share, isLearning } = this.#member;
    return share.isMember && share.isValid(nowMs) && !isLearning;
  }
}
