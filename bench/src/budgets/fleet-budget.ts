/** What keeps a fleet within two limits, for one process of it. */
export interface FleetBudget {
  /** Waits until a call of about so many tokens may be made, makes it, and settles the tokens that it has cost. */
  run(tokens: number, call: () => Promise<number>): Promise<void>;
}
