import type { MemberView } from "../contract/coordination-store.ts";
import { heldShare, type Share, splitShare } from "../shares/allotment.ts";
import { strideOf } from "../shares/stride.ts";
import { type Basis, cleared, type HoldingState, lowered, mostHeld, NOTHING_HELD, raised } from "./holding-state.ts";

/**
 * What one member may use: the member's side of the share ledger (docs/protocol.md, rules of a member,
 * 1 and 2), without I/O. Whatever lowers a share holds at once; whatever raises it waits for an epoch in which
 * everybody else has certainly lowered theirs.
 */
export class Holding {
  readonly #rotates: boolean;
  #state = NOTHING_HELD;
  /** The stride of the split that it was looked for last. */
  #stride = 1;
  #strideBasis = NOTHING_HELD.current;

  /**
   * `rotates`: the remainder of the exact split moves on with the epochs. Not without a store's clock: members that
   * count epochs differently would own the same token at the same time, so the low ranks keep it.
   */
  constructor(rotates = true) {
    this.#rotates = rotates;
  }

  /** Everything that is known, to be kept and put back with {@link restore}. */
  get state(): HoldingState {
    return this.#state;
  }

  restore(state: HoldingState): void {
    this.#state = state;
  }

  /** The generation adopted, 0 before the first. */
  get generation(): number {
    return this.#state.generation;
  }

  get members(): number {
    return this.#state.members;
  }

  get capacity(): number {
    return this.#state.capacity;
  }

  /** True while the tokens of the exact split are in use. */
  get isExact(): boolean {
    return this.#state.current.kind === "split";
  }

  /**
   * The most this member may be using, including raises still to start, in tokens of the capacity: what it reports
   * as held.
   */
  get held(): number {
    return mostHeld(this.#state);
  }

  /** Acts on a store's answer: what it lowers holds at once, what it raises from the epoch that it names. */
  accept(view: MemberView): void {
    const { generation, members, capacity, rank, held, entitled, fromEpoch, early } = view;
    const sameGeneration = generation === this.#state.generation;
    this.#state = { ...this.#state, generation, members, capacity, rank, byDemand: view.demand !== undefined };
    if (view.status === "agree" && sameGeneration && this.#splitAhead()) return;
    this.#state = raised(lowered(this.#state, entitled), entitled, fromEpoch, early);
    if (view.status === "agree")
      this.#append(fromEpoch, { kind: "split", capacity, members, rank, fair: entitled, most: held });
  }

  /** Lets raises begin whose epoch has come. */
  advance(epoch: number): void {
    let { current, raises } = this.#state;
    for (let next = raises[0]; next && next.fromEpoch <= epoch; next = raises[0]) {
      current = next.basis;
      raises = raises.slice(1);
    }
    if (raises !== this.#state.raises) this.#state = { ...this.#state, current, raises };
  }

  /** Gives up what is held beyond this much, now and in the raises still to start. True when that is something. */
  lower(limit: number): boolean {
    if (this.held <= limit) return false;
    this.#state = lowered(this.#state, limit);
    return true;
  }

  /**
   * Gives up any token of a remainder and every raise still to start. What is left is in use in every epoch and may be
   * claimed: were remainders claimed too, the claims of all members would add up to more than the capacity.
   */
  giveUpExtras(): void {
    this.#state = lowered({ ...this.#state, raises: [] }, Number.POSITIVE_INFINITY);
  }

  /** Gives everything up: nothing is in use any more. */
  clear(): void {
    this.#state = cleared(this.#state);
  }

  /**
   * The share of an epoch at a level, in whole tokens. `capped`: others are at a larger level. One that shares by
   * demand then has its even part of the level at least, however little it holds: it leaves to others what it may not
   * use.
   */
  shareAt(level: number, epoch: number, capped = false): Share {
    const { current, members, capacity, rank, byDemand } = this.#state;
    if (current.kind === "split") {
      const tokens = Math.floor(Math.min(level, current.capacity));
      const stride = this.#strideOf(current);
      const share = splitShare(tokens, current.rank, this.#rotates ? epoch : 0, current.members, stride);
      return share.tokens > current.most ? { ...share, tokens: current.most } : share;
    }
    if (members === 0) return heldShare(0, 0, 1);
    // Multiplied first, so that whole numbers stay whole: 110 of 110 at a level of 30 are 30.
    if (level >= capacity) return heldShare(current.tokens, rank, members);
    const even = capped && byDemand ? Math.min(current.tokens, level / members) : 0;
    const part = Math.max((current.tokens * level) / capacity, even);
    return heldShare(part < 1 && byDemand ? this.#turnAt(part, level, epoch) : Math.floor(part), rank, members);
  }

  /**
   * 1 now and then where a low level leaves such a part of a token of what is held, so that a group that never agrees
   * is not at a standstill: as often as that part of a token says, each member at instants of its own. All together may
   * come to more than the level in an epoch, but no member to more than it holds.
   */
  #turnAt(part: number, level: number, epoch: number): number {
    const { members, capacity, rank } = this.#state;
    if (part === 0 || level < 1) return 0;
    const turn = (epoch % capacity) + rank / (part * members);
    return Math.floor((turn + 1) * part) - Math.floor(turn * part);
  }

  /** Looked for once for each split: it takes longer the larger the group is. */
  #strideOf(split: Extract<Basis, { readonly kind: "split" }>): number {
    if (split !== this.#strideBasis) {
      this.#strideBasis = split;
      this.#stride = strideOf(split.capacity, split.members);
    }
    return this.#stride;
  }

  #splitAhead(): boolean {
    return this.isExact || this.#state.raises.some(({ basis }) => basis.kind === "split");
  }

  #append(fromEpoch: number, basis: Basis): void {
    this.#state = { ...this.#state, raises: [...this.#state.raises, { fromEpoch, basis }] };
  }
}
