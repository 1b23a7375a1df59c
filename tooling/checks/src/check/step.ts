import type { Totals } from "./totals.ts";

/** Writes text of a step for the reader. Steps run at once, so that none may write to the terminal by itself. */
export type Write = (text: string) => void;

/** One part of `npm test`. */
export interface Step {
  readonly name: string;
  /** The step that this one cannot do without: it begins when that one has passed, and is skipped when it failed. */
  readonly needs?: string;
  /** Steps that this one waits for, whatever they come to. */
  readonly after?: readonly string[];
  /** Does the work and writes what a reader needs to see. Throwing counts as one failed check. */
  run(write: Write): Promise<Totals>;
}
