import type { Random } from "@dt-tooling/simulator/random";

/** Draws numbers from 1 to n: number k k times less often than number 1 (Zipf's law, exponent 1). */
export class Zipf {
  readonly #sums: Float64Array;

  constructor(n: number) {
    this.#sums = new Float64Array(n);
    let sum = 0;
    for (let k = 1; k <= n; k++) {
      sum += 1 / k;
      this.#sums[k - 1] = sum;
    }
  }

  next(random: Pick<Random, "next">): number {
    const sums = this.#sums;
    const wanted = random.next() * (sums.at(-1) ?? 0);
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] as number) < wanted) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }
}
