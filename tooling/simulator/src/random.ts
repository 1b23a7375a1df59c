/**
 * Seeded chance: the same seed gives the same numbers. Every proof of this repository that takes a seed draws from
 * this.
 */
export class Random {
  #state: number;

  /**
   * @param stream a name; each gives numbers of its own, so that taking one fault out of a schedule does not reshuffle
   *   everything else. Without a
   * name the seed itself begins
   */
  constructor(seed: number, stream?: string) {
    this.#state = stream === undefined ? seed >>> 0 : hash(seed, stream);
  }

  /** A number in [0, 1): mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor((high - low + 1) * this.next());
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const result = [...items];
    for (let i = result.length - 1; i > 0; i--) {
      const j = this.integer(0, i);
      [result[i], result[j]] = [result[j] as T, result[i] as T];
    }
    return result;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length - 1)] as T;
  }
}

/** FNV-1a over the seed and the name of the stream. */
export function hash(seed: number, text: string): number {
  let value = 0x811c9dc5 ^ (seed >>> 0);
  value = Math.imul(value, 0x01000193) ^ Math.floor(seed / 4_294_967_296);
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  return (value ^ (value >>> 16)) >>> 0;
}
