import type { RecordedName } from "./instruments.ts";
import type { Attributes, Put } from "./series.ts";

/** Records a value of an event. */
export type Record = (name: RecordedName, value: number, attributes?: Attributes) => void;

/** How one source is read. Each kind of source has its own file, which makes one. */
export interface Reader {
  /** What identifies the source. */
  readonly attributes: Attributes;
  /**
   * Reads the source once, and puts its values. Answers true once the source has ended: it is then read no more.
   */
  readonly read: (put: Put) => boolean;
  /** Records what happens from now on; returns the function that ends it. */
  readonly listen: (record: Record) => () => void;
}
