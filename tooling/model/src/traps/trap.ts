import type { Bug } from "@dt-tooling/simulator/fleet";
import type { Bounds } from "../bounds.ts";
import type { Rule } from "../world/world.ts";
import type { Flaw } from "./flaw.ts";

/** A known way to get the protocol wrong, which the model must find. */
export interface Trap {
  readonly name: string;
  readonly what: string;
  /** The fault of the store's side, or undefined. */
  readonly bug: Bug | undefined;
  /** The fault of the member's side, or undefined. */
  readonly flaw: Flaw | undefined;
  /** Bounds within which it is found. */
  readonly bounds: Partial<Bounds>;
  /** The rules it is measured by. */
  readonly rules: readonly Rule[];
}
