/** A deliberate fault in core: a name, what it does, and the places in its sources that are changed. */
export interface Bug {
  readonly name: string;
  readonly what: string;
  readonly changes: readonly Change[];
}

/** In `file` (below `packages/core/src`), `from` stands exactly once and becomes `to`. */
export interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A bug that is one change in one file. */
export function bug(name: string, what: string, file: string, from: string, to: string): Bug {
  return { name, what, changes: [{ file, from, to }] };
}
