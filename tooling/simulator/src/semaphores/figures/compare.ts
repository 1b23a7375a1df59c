import { type Cell, type Row, SEMAPHORES } from "./cell.ts";
import { LOADS } from "./loads.ts";
import type { Figures } from "./meter.ts";
import { PROTOTYPE, type PrototypeRow } from "./prototype.ts";

/** What is compared of a load: the means over its seeds. */
export type Means = Partial<Readonly<Record<keyof Figures, number | null>>>;

/** One load and system, beside the prototype. */
export interface Compared extends Omit<Cell, "seed"> {
  readonly seeds: readonly number[];
  readonly ours: Means;
  /** Null where the prototype was not measured so. */
  readonly prototype: Means | null;
  /** The figures that do not hold, by name; empty where all do. */
  readonly short: readonly string[];
}

/** Mean use may be so much lower. */
const LESS_USE = 0.01;
/** Commands and waits may be so many times as much. */
const MORE = 1.25;
/** The prototype's figures are rounded to so much: a tenth of a millisecond, a thousandth of a command. */
const ROUNDED_MS = 0.1;
const ROUNDED_COMMANDS = 0.001;

const FIGURES = [
  "use",
  "commandsPerSlot",
  "commandsPerSecond",
  "jain",
  "waitP50Ms",
  "waitP99Ms",
  "waitMostMs",
  "handP50Ms",
  "handP99Ms",
  "lightP50Ms",
  "lightP99Ms",
  "backMs",
] as const satisfies readonly (keyof Figures)[];

/** What must be no more than the prototype's; the longest wait is one call of thousands, and is only shown. */
const WAITS = ["waitP50Ms", "waitP99Ms", "lightP50Ms", "lightP99Ms", "backMs"] as const;

/** Rows of the same load, system and setting together, in their order. */
export function compare(rows: readonly Row[]): Compared[] {
  const keys = [...new Set(rows.map(keyOf))];
  return keys.map((key) => {
    const ours = rows.filter((row) => keyOf(row) === key);
    const { load, system, rttMs, lost, turnMs } = ours[0] as Row;
    const seeds = ours.map(({ seed }) => seed);
    const theirs = PROTOTYPE.filter((row) => keyOf(row) === key && seeds.includes(row.seed));
    const prototype = theirs.length === seeds.length ? means(theirs) : null;
    const mine = means(ours);
    const judged = prototype !== null && isJudged(load, system);
    const short = judged ? shortOf(mine, prototype) : [];
    return { load, system, rttMs, lost, turnMs, seeds, ours: mine, prototype, short };
  });
}

/** Rivals are the prototype's own. It never serves a caller of several slots, so that its figures are no measure. */
export function isJudged(load: string, system: string): boolean {
  return SEMAPHORES.includes(system) && !LOADS.some(({ name, costs }) => name === load && costs);
}

function shortOf(ours: Means, prototype: Means): string[] {
  const isMore = (name: keyof Figures, rounded: number): boolean =>
    (ours[name] ?? Number.POSITIVE_INFINITY) > MORE * (prototype[name] as number) + rounded;
  return [
    ...((ours.use ?? 0) < (prototype.use ?? 0) - LESS_USE ? ["use"] : []),
    ...(isThere(prototype.commandsPerSlot) && isMore("commandsPerSlot", ROUNDED_COMMANDS) ? ["commandsPerSlot"] : []),
    ...WAITS.filter((name) => isThere(prototype[name]) && isMore(name, ROUNDED_MS)),
  ];
}

function isThere(value: number | null | undefined): value is number {
  return value !== null && value !== undefined;
}

function means(rows: readonly (Row | PrototypeRow)[]): Means {
  return Object.fromEntries(
    FIGURES.map((name) => {
      const values = rows.map((row) => row[name]).filter(isThere);
      return [name, values.length === rows.length ? values.reduce((sum, value) => sum + value, 0) / rows.length : null];
    }),
  );
}

function keyOf({ load, system, rttMs, lost, turnMs }: Omit<Cell, "seed">): string {
  return [load, system, rttMs, lost, turnMs].join(" ");
}
