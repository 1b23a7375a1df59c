import type { Totals } from "./totals.ts";

/** Writes text of a step for the reader. Steps run at once, so that none may write to the terminal by itself. */
export type Write = (text: string) => void;

/** Resolves when the step of this name has ended, whatever it came to. */
export type Ended = (step: string) => Promise<unknown>;

/** One part of `npm test`. */
export interface Step {
  readonly name: string;
  /** The step that this one cannot do without: it begins when that one has passed, and is skipped when it failed. */
  readonly needs?: string;
  /** Steps that this one waits for, whatever they come to. */
  readonly after?: readonly string[];
  /**
   * Does the work and writes what a reader needs to see. Throwing counts as one failed check.
   *
   * @param ended for a step of which only a part waits for others; they stand before it
   */
  run(write: Write, ended: Ended): Promise<Totals>;
}
