interface Step {
  readonly from: number;
  readonly tokens: number;
}

/** Tokens by epoch: a number for every epoch there is, which changes at a few of them. Never changed itself. */
export class ByEpoch {
  static readonly NONE: ByEpoch = ByEpoch.of([], [], () => 0);
  readonly #steps: readonly Step[];

  private constructor(steps: readonly Step[]) {
    this.#steps = steps;
  }

  /**
   * What `tokensIn` says: it changes where the `parts` do that it is made of, and in the `epochs` named beside them.
   */
  static of(parts: readonly ByEpoch[], epochs: readonly number[], tokensIn: (epoch: number) => number): ByEpoch {
    const edges = new Set([Number.NEGATIVE_INFINITY, ...epochs, ...parts.flatMap((part) => part.edges)]);
    const steps = [...edges].sort((a, b) => a - b).map((from) => ({ from, tokens: tokensIn(from) }));
    return new ByEpoch(steps.filter(({ tokens }, index) => tokens !== steps[index - 1]?.tokens));
  }

  static constant(tokens: number): ByEpoch {
    return ByEpoch.of([], [], () => tokens);
  }

  /** The epochs from which on it is another number. */
  get edges(): readonly number[] {
    return this.#steps.map(({ from }) => from);
  }

  in(epoch: number): number {
    return (this.#steps.findLast(({ from }) => from <= epoch) as Step).tokens;
  }

  /** At most `limit` from an epoch on. */
  lowered(limit: number, from: number): ByEpoch {
    return ByEpoch.of([this], [from], (epoch) => (epoch < from ? this.in(epoch) : Math.min(this.in(epoch), limit)));
  }

  /** So many more from an epoch on. */
  raised(tokens: number, from: number): ByEpoch {
    return ByEpoch.of([this], [from], (epoch) => this.in(epoch) + (epoch < from ? 0 : tokens));
  }
}
