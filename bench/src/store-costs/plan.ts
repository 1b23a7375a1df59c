/** How one store is measured. */
export interface Plan {
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly syncsPerRound: number;
  /**
   * The longest that a group may take to come together, and the fleet to agree; a size that takes longer is given up,
   * in milliseconds.
   */
  readonly withinMs: number;
  /** Silence after which a member of a fleet is no longer one, at least, in milliseconds. */
  readonly staleAfterMs: number;
  /** How long a member of a fleet waits for its store, at least, in milliseconds. */
  readonly storeTimeoutMs: number;
  /** Newcomers, one after the other. */
  readonly joins: number;
  /** How long an idle fleet is watched, in milliseconds. */
  readonly idleMs: number;
  readonly progress: (line: string) => void;
}
