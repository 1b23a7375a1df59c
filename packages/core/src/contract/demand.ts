/** What a member reports whose share follows its demand. */
export interface Demand {
  /** Tokens that it could use per epoch, a whole number. The ledger rounds it up to its grid (R21). */
  readonly want: number;
  /** Its own sync interval, in milliseconds: how long it takes to learn of a change (R23). */
  readonly syncMs: number;
}

/** The part of an answer for such a member. The member lowers its own share by it, and never raises its share (R22). */
export interface DemandView {
  /** The most tokens that a member is due: the max-min water level where tokens are scarce, otherwise the capacity. */
  readonly waterLevel: number;
  /** The least tokens that each member is due, whether it wants them or not. */
  readonly reserve: number;
  /** Tokens that each gets on top while there is plenty; 0 where tokens are scarce. */
  readonly extra: number;
  /** True when one of the tokens it holds is to be given back after its turn (R23). */
  readonly odd: boolean;
  /** True when it should give up the tokens that it is not due, with a report of its own right after this answer. */
  readonly tight: boolean;
  /** True when a member lately got less than it is due: a member that holds too much should report soon. */
  readonly hungry: boolean;
}
