import type { Breaks } from "./seams.ts";

/** A deliberate fault in core: a name, what it does, and what takes the place of exports of core's modules. */
export interface Bug {
  readonly name: string;
  readonly what: string;
  readonly breaks: Breaks;
}

/** A deliberate fault where there is nothing to take the place of: an edit of the text of core's sources. */
export interface Edit {
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

export function bug(name: string, what: string, breaks: Breaks): Bug {
  return { name, what, breaks };
}

/** An edit that is one change in one file. */
export function edit(name: string, what: string, file: string, from: string, to: string): Edit {
  return { name, what, changes: [{ file, from, to }] };
}
