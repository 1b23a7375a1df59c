/** Something that must not happen, and did. */
export interface Violation {
  readonly rule: Rule;
  readonly atMs: number;
  readonly detail: string;
}

/** What is checked, by name. */
export type Rule =
  | "epoch-sum"
  | "epoch-back"
  | "epoch-label"
  | "token-owner"
  | "validity"
  | "granted-beyond-record"
  | "granted-after-stop"
  | "raise-too-early"
  | "fencing"
  | "held-recorded"
  | "held-sum"
  | "ledger-rows"
  | "time-back"
  | "generation-back"
  | "share"
  | "grant-count"
  | "liveness"
  | "utilisation"
  | "hanging"
  | "exception";
