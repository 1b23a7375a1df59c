import type { Shares } from "../plan/plan.ts";
import type { Breaks } from "./seams.ts";

/** A deliberate fault in core: a name, what it does, and what takes the place of exports of core's modules. */
export interface Bug {
  readonly name: string;
  readonly what: string;
  readonly breaks: Breaks;
  /** How the limit is divided where it shows. Default evenly. */
  readonly shares?: Shares;
}

export function bug(name: string, what: string, breaks: Breaks): Bug {
  return { name, what, breaks };
}
