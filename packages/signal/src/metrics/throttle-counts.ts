/** How often, and for how long, something was throttled. */
export interface ThrottleCount<Label extends string> {
  /** Why, or by which limiter. */
  readonly label: Label;
  /** The topic's name. */
  readonly topic: string;
  /** How many times the server throttled it. */
  readonly times: number;
  /** Milliseconds that were asked for, or that it took. Times that overlap are counted each. */
  readonly ms: number;
}

/** Topics that are counted by name; the rest together are "(others)". */
const MOST_TOPICS = 1_000;

const OTHERS = "(others)";

/** Counters that only grow, by label and topic. The number of topics is bounded, since clients make them up. */
export class ThrottleCounts<Label extends string> {
  readonly #counts = new Map<string, Map<Label, { times: number; ms: number }>>();

  add(label: Label, topic: string, ms: number, times = 1): void {
    const name = this.#counts.has(topic) || this.#counts.size < MOST_TOPICS ? topic : OTHERS;
    const labels = this.#counts.get(name) ?? new Map<Label, { times: number; ms: number }>();
    const count = labels.get(label) ?? { times: 0, ms: 0 };
    this.#counts.set(name, labels);
    labels.set(label, { times: count.times + times, ms: count.ms + ms });
  }

  list(): ThrottleCount<Label>[] {
    return [...this.#counts].flatMap(([topic, labels]) =>
      [...labels].map(([label, count]) => ({ label, topic, ...count })),
    );
  }
}
