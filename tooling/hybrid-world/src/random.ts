/** Seeded chance (mulberry32): the same seed gives the same world. */
export class Random {
  #state: number;

  constructor(seed: number, salt: string) {
    this.#state = seed >>> 0;
    for (const character of salt) this.#state = (Math.imul(this.#state, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }
}
