import type { LimiterKind } from "../../stores/limiter-kinds.ts";
import type { Frame } from "../protocol.ts";
import { limiterIn } from "./state.ts";

/** A number for each time; null where it is not known: the chart has a gap there. */
export type Column = readonly (number | null)[];

/** One band: what one member held, or the others together. */
export interface Band {
  /** The member; undefined for the others. */
  readonly id: string | undefined;
  /** Which colour: from 0 on, the same for as long as the band is there. */
  readonly colour: number;
  /** What it held. */
  readonly held: Column;
}

/** The shares of a limiter's members over time, summed from below: uPlot stacks nothing by itself. */
export interface Bands {
  /** Seconds since 1970. */
  readonly times: readonly number[];
  /** From the bottom up; the last one is the others. */
  readonly bands: readonly Band[];
  /** The upper edge of each band: the sum of what it and those below it held. */
  readonly edges: readonly Column[];
  /** The limit in force. */
  readonly capacity: Column;
}

/** The members that are drawn by themselves, on a scale of their own: without the others, and without the limit. */
export function withoutOthers({ times, bands, edges, capacity }: Bands): Bands {
  return { times, bands: bands.slice(0, -1), edges: edges.slice(0, -1), capacity: capacity.map(() => null) };
}

/** How many colours there are for bands, besides the one of the others. */
export const COLOURS = 12;

/**
 * Keeps the bands of one limiter as frames come. A member has a band from the first frame in which it is shown until
 * the last one has gone; where it is not shown, it is among the others.
 */
export class BandHistory {
  readonly #kind: LimiterKind;
  readonly #name: string;
  readonly #most: number;
  readonly #colours = new Map<string, number>();
  #frames: readonly Frame[] = [];
  #bands: Bands = NONE;

  /** @param most the most frames that are kept */
  constructor(kind: LimiterKind, name: string, most: number) {
    this.#kind = kind;
    this.#name = name;
    this.#most = most;
  }

  /** The bands of these frames. Of the same frames it gives the same object. */
  of(frames: readonly Frame[]): Bands {
    if (frames === this.#frames) return this.#bands;
    this.#frames = frames;
    const columns = columnsOf(frames.slice(-this.#most), this.#kind, this.#name);
    this.#giveColours([...columns.held.keys()]);
    const bands: Band[] = [...columns.held].map(([id, held]) => ({ id, held, colour: this.#colours.get(id) ?? 0 }));
    bands.push({ id: undefined, colour: COLOURS, held: columns.rest });
    this.#bands = { times: columns.times, bands, edges: edgesOf(bands), capacity: columns.capacity };
    return this.#bands;
  }

  /** A member keeps its colour; a new one has the one that the fewest have. */
  #giveColours(ids: readonly string[]): void {
    const present = new Set(ids);
    for (const id of this.#colours.keys()) if (!present.has(id)) this.#colours.delete(id);
    const uses = Array.from({ length: COLOURS }, () => 0);
    for (const colour of this.#colours.values()) uses[colour] = (uses[colour] ?? 0) + 1;
    for (const id of ids) {
      if (this.#colours.has(id)) continue;
      const colour = uses.indexOf(Math.min(...uses));
      uses[colour] = (uses[colour] ?? 0) + 1;
      this.#colours.set(id, colour);
    }
  }
}

interface Columns {
  readonly times: number[];
  readonly held: ReadonlyMap<string, (number | null)[]>;
  readonly rest: (number | null)[];
  readonly capacity: (number | null)[];
}

function columnsOf(frames: readonly Frame[], kind: LimiterKind, name: string): Columns {
  const held = new Map<string, (number | null)[]>();
  const [times, rest, capacity]: [number[], (number | null)[], (number | null)[]] = [[], [], []];
  frames.forEach((frame, i) => {
    times.push(frame.atMs / 1_000);
    // What the store did not answer is not known: such a frame repeats the one before.
    const limiter = frame.error === undefined ? limiterIn(frame, kind, name) : undefined;
    const members = limiter?.error === undefined ? limiter?.members : undefined;
    rest.push(members === undefined ? null : members.rest.held);
    capacity.push(limiter?.limits[0]?.max ?? null);
    for (const column of held.values()) column.push(members === undefined ? null : 0);
    for (const member of members?.shown ?? []) {
      let column = held.get(member.id);
      if (column === undefined) {
        column = rest.map((known) => (known === null ? null : 0));
        held.set(member.id, column);
      }
      column[i] = member.held;
    }
  });
  return { times, held, rest, capacity };
}

function edgesOf(bands: readonly Band[]): Column[] {
  let below: Column | undefined;
  return bands.map(({ held }) => {
    const lower = below;
    const edge = held.map((value, i) => (value === null ? null : value + (lower?.[i] ?? 0)));
    below = edge;
    return edge;
  });
}

const NONE: Bands = { times: [], bands: [], edges: [], capacity: [] };
