import type { MemberView } from "../contract/coordination-store.ts";
import { agreedShare, heldShare, type Share } from "../shares/allotment.ts";
import { fairShare, largestShare } from "../shares/split.ts";
import { strideOf } from "../shares/stride.ts";

/** On what a processor's tokens are counted: a number it holds by itself, or its place in an agreed split. */
type Basis =
  | { readonly kind: "held"; readonly tokens: number }
  | { readonly kind: "agreed"; readonly capacity: number; readonly poolSize: number; readonly rank: number };

interface Raise {
  readonly fromEpoch: number;
  readonly basis: Basis;
}

const NOTHING: Basis = { kind: "held", tokens: 0 };

/**
 * What one processor may use: the processor's side of the share ledger (docs/protocol.md, "Consensus", processor rules 1 and 2), without I/O.
 * Whatever lowers a share holds at once; whatever raises it waits for an epoch in which everybody else has certainly lowered theirs.
 */
export class Holding {
  readonly #rotates: boolean;
  #current: Basis = NOTHING;
  #raises: Raise[] = [];
  #generation = 0;
  #poolSize = 0;
  #capacity = 0;
  #rank = 0;
  /** The stride of the split that it was looked for last. */
  #stride = 1;
  #strideBasis: Basis = NOTHING;

  /**
   * `rotates`: the remainder of an agreed split moves on with the epochs. Not without a store's clock: members that count epochs differently would own
   * the same token at the same time, so the low ranks keep it.
   */
  constructor(rotates = true) {
    this.#rotates = rotates;
  }

  /** The generation adopted, 0 before the first. */
  get generation(): number {
    return this.#generation;
  }

  get poolSize(): number {
    return this.#poolSize;
  }

  get capacity(): number {
    return this.#capacity;
  }

  /** True while the tokens of an agreed split are in use. */
  get agreed(): boolean {
    return this.#current.kind === "agreed";
  }

  /** The most this processor may be using, including raises still to start, in tokens of the capacity: what it reports as held. */
  get held(): number {
    return this.#raises.reduce((most, raise) => Math.max(most, mostTokens(raise.basis)), mostTokens(this.#current));
  }

  /** Acts on a store's answer. `fromEpoch` is the first epoch in which a raise is safe. */
  accept(view: MemberView, fromEpoch: number): void {
    const sameGeneration = view.generation === this.#generation;
    this.#generation = view.generation;
    this.#poolSize = view.poolSize;
    this.#capacity = view.capacity;
    this.#rank = view.rank;
    const limit = Math.min(view.held, view.fair);
    if (view.status === "agree") {
      if (sameGeneration && this.#splitAhead()) return;
      this.#lower(limit);
      const { capacity, poolSize, rank } = view;
      this.#raises = [...this.#raises, { fromEpoch, basis: { kind: "agreed", capacity, poolSize, rank } }];
      return;
    }
    this.#lower(limit);
    if (limit > this.held) this.#raises = [...this.#raises, { fromEpoch, basis: { kind: "held", tokens: limit } }];
  }

  /** Lets raises begin whose epoch has come. */
  advance(epoch: number): void {
    while (this.#raises[0] && this.#raises[0].fromEpoch <= epoch) {
      this.#current = this.#raises[0].basis;
      this.#raises.shift();
    }
  }

  /**
   * Gives up any token of a remainder and every raise still to start. What is left is in use in every epoch and may be claimed: were remainders claimed too,
   * the claims of all members would add up to more than the capacity.
   */
  giveUpExtras(): void {
    this.#raises = [];
    this.#lower(Number.POSITIVE_INFINITY);
  }

  /** Gives everything up: nothing is in use any more. */
  clear(): void {
    this.#current = NOTHING;
    this.#raises = [];
  }

  /** The share of an epoch at a level, in whole tokens. */
  shareAt(level: number, epoch: number): Share {
    const basis = this.#current;
    if (basis.kind === "agreed") {
      const tokens = Math.floor(Math.min(level, basis.capacity));
      const stride = this.#strideOf(basis);
      return agreedShare(tokens, basis.rank, this.#rotates ? epoch : 0, basis.poolSize, stride);
    }
    if (this.#poolSize === 0) return heldShare(0, 0, 1);
    // Multiplied first, so that whole numbers stay whole: 110 of 110 at a level of 30 are 30.
    const { tokens } = basis;
    const part = level >= this.#capacity ? tokens : Math.floor((tokens * level) / this.#capacity);
    return heldShare(part, this.#rank, this.#poolSize);
  }

  /** Looked for once for each split: it takes longer the larger the pool is. */
  #strideOf(split: Extract<Basis, { readonly kind: "agreed" }>): number {
    if (split !== this.#strideBasis) {
      this.#strideBasis = split;
      this.#stride = strideOf(split.capacity, split.poolSize);
    }
    return this.#stride;
  }

  #splitAhead(): boolean {
    return this.#current.kind === "agreed" || this.#raises.some((raise) => raise.basis.kind === "agreed");
  }

  /**
   * Drops to at most `limit`, giving up any token of a remainder, now and in the raises still to start. What is left of these starts when it was to start:
   * its tokens were free when the store recorded them, and have been on record as this member's ever since. Were a raise to start anew with every
   * generation, a group that many join one after the other would grant next to nothing meanwhile.
   */
  #lower(limit: number): void {
    const capped = (basis: Basis): number => Math.min(sureTokens(basis), limit);
    this.#current = { kind: "held", tokens: capped(this.#current) };
    let most = this.#current.tokens;
    const raises: Raise[] = [];
    for (const { fromEpoch, basis } of this.#raises) {
      const tokens = capped(basis);
      if (tokens <= most) continue;
      raises.push({ fromEpoch, basis: { kind: "held", tokens } });
      most = tokens;
    }
    this.#raises = raises;
  }
}

/** The tokens a basis gives in every epoch, without a share in the remainder. */
function sureTokens(basis: Basis): number {
  return basis.kind === "held" ? basis.tokens : fairShare(basis.capacity, basis.poolSize);
}

/** The tokens a basis may give in some epoch. */
function mostTokens(basis: Basis): number {
  return basis.kind === "held" ? basis.tokens : largestShare(basis.capacity, basis.poolSize);
}
