import * as real from "@dt/core/ledger";
import { DEFAULT_BOUNDS } from "../bounds.ts";
import { explore } from "../explore/explore.ts";
import type { Trap } from "./trap.ts";

/** How a trap was found. */
export interface Finding {
  readonly name: string;
  readonly what: string;
  readonly caught: boolean;
  /** Steps of the shortest run that breaks a rule; null when none does. */
  readonly steps: number | null;
  readonly rule: string | null;
  readonly detail: string | null;
  readonly states: number;
  readonly trace: readonly (readonly string[])[];
}

/** Explores the protocol with the trap in it, until a rule is broken or no state is left. */
export function spring(trap: Trap): Finding {
  const { name, what, bug, flaw } = trap;
  const ledger = bug?.ledger?.(real) ?? real;
  const bounds = { ...DEFAULT_BOUNDS, ...trap.bounds };
  const { violation, violationSteps, states, trace } = explore({ bounds, ledger, flaw, rules: new Set(trap.rules) });
  const caught = violation !== undefined;
  return {
    ...{ name, what, caught, steps: caught ? violationSteps : null, states, trace },
    ...{ rule: violation?.rule ?? null, detail: violation?.detail ?? null },
  };
}
