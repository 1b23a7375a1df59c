/** A table for people: cells are text already. */
export interface Table {
  readonly title: string;
  /** Headings. The first column is left-aligned, the others right-aligned. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What a reader must know to judge the figures. */
  readonly notes?: readonly string[];
}

/** A promise about a figure. */
export interface Target {
  readonly name: string;
  /** Null when it was not measured. */
  readonly value: number | null;
  /** The value may be at most this, or must stay below it when `strict`. */
  readonly bound: number;
  readonly strict?: boolean;
  readonly met: boolean;
}

/** What a benchmark says of its figures. */
export interface Report {
  readonly tables: readonly Table[];
  readonly targets: readonly Target[];
}

/** A target of at most `bound`. What was not measured, or is not a number, misses it. */
export function atMost(name: string, value: number | null, bound: number): Target {
  return { name, value, bound, met: value !== null && value <= bound };
}

/** A target of less than `bound`. */
export function below(name: string, value: number, bound: number): Target {
  return { name, value, bound, strict: true, met: value < bound };
}
