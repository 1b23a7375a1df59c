/** On what a member's tokens are counted: a number it holds by itself, or its place in the exact split. */
export type Basis = { readonly kind: "held"; readonly tokens: number } | SplitBasis;

/** A place in the exact split. */
export interface SplitBasis {
  readonly kind: "split";
  readonly capacity: number;
  readonly members: number;
  readonly rank: number;
  /** The tokens it gives in every epoch, and those it may give in some: what the member is entitled to, and holds. */
  readonly fair: number;
  readonly most: number;
}

/** What is to be used from an epoch on. */
export interface Raise {
  readonly fromEpoch: number;
  readonly basis: Basis;
}

/** What one member holds, as data. It is never changed: whatever happens makes another one. */
export interface HoldingState {
  /** The generation adopted, 0 before the first; the three below are those of its answer. */
  readonly generation: number;
  readonly members: number;
  readonly capacity: number;
  readonly rank: number;
  /** True for a member that shares by demand: it never agrees. */
  readonly byDemand: boolean;
  /** What is in use now. */
  readonly current: Basis;
  /** What is still to start, in order. */
  readonly raises: readonly Raise[];
}

const NO_TOKENS: Basis = { kind: "held", tokens: 0 };
const NO_RAISES: readonly Raise[] = [];

/** Before the first answer. */
export const NOTHING_HELD: HoldingState = {
  generation: 0,
  members: 0,
  capacity: 0,
  rank: 0,
  byDemand: false,
  current: NO_TOKENS,
  raises: NO_RAISES,
};

/** The same generation with nothing in use and nothing to start. */
export function cleared(state: HoldingState): HoldingState {
  return { ...state, current: NO_TOKENS, raises: NO_RAISES };
}

/** The most that may be in use, including raises still to start. */
export function mostHeld({ current, raises }: HoldingState): number {
  return raises.reduce((most, { basis }) => Math.max(most, mostTokens(basis)), mostTokens(current));
}

/**
 * Drops to at most `limit`, giving up any token of a remainder, now and in the raises still to start. What is left of
 * these starts when it was to start: its tokens were free when the store recorded them, and have been on record as this
 * member's ever since. Were a raise to start anew with every generation, a group that many join one after the other
 * would grant next to nothing meanwhile.
 */
export function lowered(state: HoldingState, limit: number): HoldingState {
  const capped = (basis: Basis): number => Math.min(fairTokens(basis), limit);
  const tokensNow = capped(state.current);
  let most = tokensNow;
  let raises = NO_RAISES;
  for (const { fromEpoch, basis } of state.raises) {
    const tokens = capped(basis);
    if (tokens <= most) continue;
    raises = [...raises, { fromEpoch, basis: { kind: "held", tokens } }];
    most = tokens;
  }
  return { ...state, current: { kind: "held", tokens: tokensNow }, raises };
}

/**
 * Rises to `entitled` tokens, in a state without a share in a remainder: by `early` of what is new an epoch before
 * `fromEpoch`, by all of it from there. Raises still to start keep their epochs, and what is new comes on top of them.
 */
export function raised(state: HoldingState, entitled: number, fromEpoch: number, early: number): HoldingState {
  const more = entitled - mostHeld(state);
  if (more <= 0) return state;
  const epochs = new Set([...state.raises.map((raise) => raise.fromEpoch), fromEpoch - 1, fromEpoch]);
  let most = fairTokens(state.current);
  let raises = NO_RAISES;
  for (const epoch of [...epochs].sort((a, b) => a - b)) {
    const isNew = epoch >= fromEpoch ? more : epoch === fromEpoch - 1 ? Math.min(early, more) : 0;
    const tokens = tokensFrom(state, epoch) + isNew;
    if (tokens <= most) continue;
    raises = [...raises, { fromEpoch: epoch, basis: { kind: "held", tokens } }];
    most = tokens;
  }
  return { ...state, raises };
}

/** What is in use in an epoch, as far as it has been answered. */
function tokensFrom({ current, raises }: HoldingState, epoch: number): number {
  return raises.reduce(
    (tokens, { fromEpoch, basis }) => (fromEpoch <= epoch ? fairTokens(basis) : tokens),
    fairTokens(current),
  );
}

/** The tokens a basis gives in every epoch, without a share in the remainder. */
export function fairTokens(basis: Basis): number {
  return basis.kind === "held" ? basis.tokens : basis.fair;
}

/** The tokens a basis may give in some epoch. */
export function mostTokens(basis: Basis): number {
  return basis.kind === "held" ? basis.tokens : basis.most;
}
