import { StateTable } from "./state-table.ts";

/** A state of something that goes on in steps. */
export interface Walkable<V> {
  readonly violation: V | undefined;
  /** What happened in the last step, when it is to be told. */
  story: string[] | undefined;
}

/** What is walked: where runs begin, the steps of a world, and a world as bytes. */
export interface Walk<V, W extends Walkable<V>> {
  readonly first: readonly W[];
  readonly steps: (world: W, emit: (kind: string, next: W) => void) => void;
  readonly encode: (world: W) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => W;
  /** Called with each world of a trace before its step is told, and with the step. */
  readonly told?: { readonly before: (world: W) => void; readonly after: (world: W, next: W) => void };
}

/** What an exploration found. */
export interface Found<V> {
  readonly states: number;
  readonly transitions: number;
  /** Steps to the farthest state, by a shortest way. */
  readonly depth: number;
  /** Every state that could be reached was expanded. False when it ended at the first violation. */
  readonly exhausted: boolean;
  /** The violation that takes the fewest steps. */
  readonly violation: V | undefined;
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
 * Walks every state that can be reached, breadth first, and checks each. Ends when no state is left to expand, or at
 * the first violation, which is then a shortest one.
 */
export function walk<V, W extends Walkable<V>>(walked: Walk<V, W>, progress?: Progress): Found<V> {
  const table = new StateTable();
  const kinds: Record<string, number> = {};
  let transitions = 0;
  for (const world of walked.first) table.add(walked.encode(world), -1, 0);
  let depth = 0;
  let layerEnd = table.size;
  for (let index = 0; index < table.size; index++) {
    if (index === layerEnd) {
      depth += 1;
      layerEnd = table.size;
    }
    let step = 0;
    let violation: V | undefined;
    let violating = -1;
    walked.steps(walked.decode(table.at(index)), (kind, next) => {
      transitions += 1;
      kinds[kind] = (kinds[kind] ?? 0) + 1;
      if (next.violation && !violation) {
        violation = next.violation;
        violating = step;
      }
      if (!violation) table.add(walked.encode(next), index, step);
      step += 1;
    });
    if (violation) {
      const trace = retrace(walked, table, index, violating);
      const figures = { states: table.size, transitions, depth, exhausted: false };
      return { ...figures, violation, violationSteps: depth + 1, trace, kinds };
    }
    if (progress && (index & 0x3fff) === 0)
      progress({ states: table.size, transitions, depth, frontier: table.size - index });
  }
  const figures = { states: table.size, transitions, depth, exhausted: true };
  return { ...figures, violation: undefined, violationSteps: 0, trace: [], kinds };
}

/** Walks the way to a state once more and tells what happens. */
function retrace<V, W extends Walkable<V>>(
  walked: Walk<V, W>,
  table: StateTable,
  last: number,
  lastStep: number,
): string[][] {
  const path: { readonly index: number; readonly step: number }[] = [];
  let step = lastStep;
  for (let index = last; index >= 0; index = table.parentOf(index)) {
    path.unshift({ index, step });
    step = table.stepTo(index);
  }
  return path.map(({ index, step }) => {
    const world = walked.decode(table.at(index));
    world.story = [];
    walked.told?.before(world);
    let count = 0;
    let story: string[] = [];
    walked.steps(world, (_, next) => {
      if (count++ !== step) return;
      story = next.story ?? [];
      walked.told?.after(world, next);
    });
    return story;
  });
}
