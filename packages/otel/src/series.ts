import { instrumentOf, type ObservedName } from "./instruments.ts";

/** What tells the series of an instrument apart. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Takes a value of a source. What is undefined, or no finite number, is left out. */
export type Put = (name: ObservedName, value: number | undefined, attributes?: Attributes) => void;

/** A value of one series. */
export interface Point {
  readonly name: ObservedName;
  readonly attributes: Attributes;
  readonly value: number;
}

/** Reads all values of one source. */
export function pointsOf(base: Attributes, read: (put: Put) => void): Point[] {
  const points: Point[] = [];
  read((name, value, attributes) => {
    if (typeof value !== "number" || !Number.isFinite(value)) return;
    // A counter that is less than nothing was none.
    if (instrumentOf(name).type === "counter" && value < 0) return;
    points.push({ name, value, attributes: attributes ? { ...base, ...attributes } : base });
  });
  return points;
}

/**
 * The values of one collection. Sources of the same attributes become one series: an instrument that was given two
 * values for it would keep the last.
 */
export class Series {
  readonly #points = new Map<string, Point>();

  /** Adds the points of a source. */
  add(points: readonly Point[]): void {
    for (const point of points) {
      const key = keyOf(point);
      const other = this.#points.get(key);
      this.#points.set(key, other ? { ...other, value: merged(point.name, other.value, point.value) } : point);
    }
  }

  /** True where a source has a value for the series of a key. */
  has(key: string): boolean {
    return this.#points.has(key);
  }

  [Symbol.iterator](): Iterator<Point> {
    return this.#points.values();
  }
}

/**
 * What ended sources leave behind, until the next collection. Their counts go on in a source of the same attributes, so
 * that no counter falls. Their gauges become what means nothing: SDKs that report the last value of a series for ever
 * would report a limiter that limits, for ever.
 */
export class Farewells {
  readonly #points = new Map<string, Point>();

  /** Takes in the last points of a source. */
  add(points: readonly Point[]): void {
    for (const point of points) {
      const key = keyOf(point);
      const isCounter = instrumentOf(point.name).type === "counter";
      const before = isCounter ? (this.#points.get(key)?.value ?? 0) : 0;
      this.#points.set(key, { ...point, value: isCounter ? before + point.value : neutral(point.name) });
    }
  }

  /**
   * Adds what ended sources counted to the series of a collection, and their last gauges where no source has the series
   * any more. What no source goes on with is forgotten.
   */
  joinTo(series: Series): void {
    for (const [key, point] of this.#points) {
      const goesOn = series.has(key);
      const isCounter = instrumentOf(point.name).type === "counter";
      if (isCounter || !goesOn) series.add([point]);
      if (!goesOn || !isCounter) this.#points.delete(key);
    }
  }

  get size(): number {
    return this.#points.size;
  }
}

function keyOf({ name, attributes }: Point): string {
  return name + JSON.stringify(attributes);
}

function merged(name: ObservedName, one: number, other: number): number {
  const { type, merge } = instrumentOf(name);
  if (type !== "gauge") return one + other;
  return merge === "min" ? Math.min(one, other) : Math.max(one, other);
}

/** A value that asks for nobody's attention. */
function neutral(name: ObservedName): number {
  return name === "dt.store.valid" ? 1 : 0;
}
