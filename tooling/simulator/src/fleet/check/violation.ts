import type { Profile } from "../plan/plan.ts";

/** Something that must not happen, and did. */
export interface Violation {
  readonly rule: Rule;
  readonly atMs: number;
  readonly detail: string;
}

/** What is checked, by name. */
export type Rule =
  | "epoch-sum"
  | "epoch-calls"
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
  | "refused"
  | "exception";

/** What lost writes may break: the shares, and what stands on them. How far and how often is measured. */
const SHARES: readonly Rule[] = [
  "epoch-sum",
  "epoch-calls",
  "token-owner",
  "granted-beyond-record",
  "raise-too-early",
  "generation-back",
];

/** The rules that a profile measures instead of promising them: what DESIGN, "Safety", leaves out of the promise. */
export const MEASURED: Readonly<Record<Profile, ReadonlySet<Rule>>> = {
  atomic: new Set(),
  storm: new Set(),
  suspended: new Set(),
  collecting: new Set(),
  "abuse-of-the-prototype": new Set(),
  // The registration of the newest process of an id may be lost too, while that of its dead predecessor is not.
  "failover-loss": new Set([...SHARES, "fencing"]),
  "hold-partition": new Set(SHARES),
  // Who starts without the store counts epochs on its own clock.
  "floor-partition": new Set([...SHARES, "epoch-label"]),
};
