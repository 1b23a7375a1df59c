import { steps } from "../world/actions.ts";
import { Codec } from "../world/codec.ts";
import { firstWorlds } from "../world/first-worlds.ts";
import type { Setting, Violation } from "../world/world.ts";
import { StateTable } from "./state-table.ts";

/** What an exploration found. */
export interface Exploration {
  readonly states: number;
  readonly transitions: number;
  /** Steps to the farthest state, by a shortest way. */
  readonly depth: number;
  /** Every state that could be reached was expanded. False when it ended at the first violation. */
  readonly exhausted: boolean;
  /** The violation that takes the fewest steps. */
  readonly violation: Violation | undefined;
  /** Steps to it; 0 without one. */
  readonly violationSteps: number;
  /** What happens on the way to it, step by step. */
  readonly trace: readonly (readonly string[])[];
  /** How often each kind of step was made. */
  readonly kinds: Readonly<Record<string, number>>;
}

/** Called now and then with the figures so far. */
export type Progress = (so: {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly frontier: number;
}) => void;

/**
 * Walks every state that can be reached within the bounds, breadth first, and checks each. Ends when no state is left
 * to expand, or at the first violation, which is then a shortest one.
 */
export function explore(setting: Setting, progress?: Progress): Exploration {
  const codec = new Codec(setting);
  const table = new StateTable();
  const kinds: Record<string, number> = {};
  let transitions = 0;
  for (const world of firstWorlds(setting)) table.add(codec.encode(world), -1, 0);
  let depth = 0;
  let layerEnd = table.size;
  for (let index = 0; index < table.size; index++) {
    if (index === layerEnd) {
      depth += 1;
      layerEnd = table.size;
    }
    let step = 0;
    let violation: Violation | undefined;
    let violating = -1;
    steps(codec.decode(table.at(index)), setting, (kind, next) => {
      transitions += 1;
      kinds[kind] = (kinds[kind] ?? 0) + 1;
      if (next.violation && !violation) {
        violation = next.violation;
        violating = step;
      }
      if (!violation) table.add(codec.encode(next), index, step);
      step += 1;
    });
    if (violation) {
      const trace = retrace(setting, table, index, violating);
      const figures = { states: table.size, transitions, depth, exhausted: false };
      return { ...figures, violation, violationSteps: depth + 1, trace, kinds };
    }
    if (progress && (index & 0x3fff) === 0)
      progress({ states: table.size, transitions, depth, frontier: table.size - index });
  }
  return {
    states: table.size,
    transitions,
    depth,
    exhausted: true,
    violation: undefined,
    violationSteps: 0,
    trace: [],
    kinds,
  };
}

/** Walks the way to a state once more and tells what happens, each process by the same name all along. */
function retrace(setting: Setting, table: StateTable, last: number, lastStep: number): string[][] {
  const path: { readonly index: number; readonly step: number }[] = [];
  let step = lastStep;
  for (let index = last; index >= 0; index = table.parentOf(index)) {
    path.unshift({ index, step });
    step = table.stepTo(index);
  }
  const codec = new Codec(setting);
  let names: readonly string[] | undefined;
  return path.map(({ index, step }) => {
    const world = codec.decode(table.at(index));
    world.story = [];
    world.names = names ?? world.names;
    let count = 0;
    let told: string[] = [];
    steps(world, setting, (_, next) => {
      if (count++ !== step) return;
      told = next.story ?? [];
      codec.encode(next);
      names = codec.order.map((slot) => world.names[slot] as string);
    });
    return told;
  });
}
