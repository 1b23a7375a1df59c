/** What an answer to a member says of its share. */
export interface Answered {
  readonly held: number;
  /** What it holds on agreement, when it may own a token of the remainder; else what it is entitled to. */
  readonly most: number;
  readonly fromEpoch: number;
  readonly early: number;
}

/** So many tokens may be used from an epoch on. */
interface Step {
  readonly fromEpoch: number;
  readonly tokens: number;
}

/**
 * The most a member may have used in an epoch, from what it said and what it was answered.
 * - What lowers its share holds at once. Of what raises it, `early` tokens start in the epoch before `fromEpoch`, and
 *   all of it in that one.
 * - What it had used, when it sent a report that was answered, beyond what it said and was answered that it held, is
 *   spent: the store counts it for good, and it is free to use as many again, in that epoch, as it is given then.
 */
export class Raises {
  #started = 0;
  #waiting: readonly Step[] = [];
  #said: { readonly held: number; readonly epoch: number; readonly used: number } | undefined;
  #spent = { epoch: Number.NEGATIVE_INFINITY, tokens: 0 };

  /** It sends a report: it holds `held`, and has used `used` in `epoch`, in which it was granted tokens last. */
  reported(held: number, epoch: number, used: number): void {
    this.#said = { held, epoch, used };
  }

  /** It sends something that says nothing of what it used. */
  registered(): void {
    this.#said = undefined;
  }

  /** The answer to what was sent last; `expired` when the validity of the one before it is over. */
  answered({ held, most, fromEpoch, early }: Answered, expired: boolean): void {
    if (expired) this.expired();
    this.#discharge(held);
    this.#started = Math.min(this.#started, most);
    this.#waiting = this.#waiting.map((step) => ({ ...step, tokens: Math.min(step.tokens, most) }));
    const soon = Math.min(this.#from(fromEpoch - 1) + early, most);
    this.#waiting = [...this.#waiting, { fromEpoch: fromEpoch - 1, tokens: soon }, { fromEpoch, tokens: most }];
  }

  /** The validity is over: nothing from before counts. */
  expired(): void {
    this.#started = 0;
    this.#waiting = [];
  }

  /** What it may have used in an epoch. Epochs are asked for in order. */
  most(epoch: number): number {
    this.#started = this.#from(epoch);
    this.#waiting = this.#waiting.filter((step) => step.fromEpoch > epoch && step.tokens > this.#started);
    return this.#started + this.spent(epoch);
  }

  /** What it used in an epoch and gave up since. */
  spent(epoch: number): number {
    return epoch === this.#spent.epoch ? this.#spent.tokens : 0;
  }

  #from(epoch: number): number {
    return this.#waiting.reduce(
      (most, step) => (step.fromEpoch <= epoch ? Math.max(most, step.tokens) : most),
      this.#started,
    );
  }

  #discharge(answered: number): void {
    if (!this.#said) return;
    const { held, epoch, used } = this.#said;
    this.#said = undefined;
    const beyond = used - Math.max(held, answered);
    if (beyond > this.spent(epoch)) this.#spent = { epoch, tokens: beyond };
  }
}
