import type { Totals } from "./totals.ts";

/** One part of `npm test`. */
export interface Step {
  readonly name: string;
  /** The step that this one cannot do without: when that failed, this one is skipped. */
  readonly needs?: string;
  /** Does the work and prints what a reader needs to see. Throwing counts as one failed check. */
  run(): Promise<Totals>;
}
