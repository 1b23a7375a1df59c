/** What estimates are learned by. */
export interface Learner {
  readonly model: string;
  readonly key: string;
}

/** So many of the last sizes count. */
const REMEMBERED = 64;
/** Of them this part is at most as large as the estimate. */
const QUANTILE = 0.95;
/** Sizes are remembered for at most so many models and keys: those that were used last. */
const MOST_LEARNERS = 2_000;

/** The last sizes of one kind. */
class Sizes {
  readonly #sizes: number[] = [];
  #next = 0;
  #estimate: number | undefined;

  add(size: number): void {
    this.#sizes[this.#next] = size;
    this.#next = (this.#next + 1) % REMEMBERED;
    this.#estimate = undefined;
  }

  get estimate(): number {
    const { length } = this.#sizes;
    this.#estimate ??= this.#sizes.toSorted((a, b) => a - b)[Math.min(length - 1, Math.floor(length * QUANTILE))];
    return this.#estimate as number;
  }
}

/**
 * What calls cost before, as the 95th percentile of the last 64: for a model and a key, else for the model, else for
 * all calls.
 */
export class Estimates {
  readonly #learned = new Map<string, Sizes>();

  /** An estimate; undefined where nothing was learned. */
  of(limit: string, part: string, { model, key }: Learner): number | undefined {
    for (const name of namesOf(limit, part, model, key)) {
      const sizes = this.#learned.get(name);
      if (sizes) return sizes.estimate;
    }
    return undefined;
  }

  learn(limit: string, part: string, { model, key }: Learner, size: number): void {
    for (const name of namesOf(limit, part, model, key)) {
      const sizes = this.#learned.get(name) ?? new Sizes();
      this.#learned.delete(name);
      this.#learned.set(name, sizes);
      sizes.add(size);
    }
    for (const name of this.#learned.keys()) {
      if (this.#learned.size <= MOST_LEARNERS) return;
      this.#learned.delete(name);
    }
  }
}

/** From the closest to the widest. */
function namesOf(limit: string, part: string, model: string, key: string): readonly string[] {
  const all = JSON.stringify([limit, part]);
  const ofModel = JSON.stringify([limit, part, model]);
  return key === ""
    ? model === ""
      ? [all]
      : [ofModel, all]
    : [JSON.stringify([limit, part, model, key]), ofModel, all];
}
