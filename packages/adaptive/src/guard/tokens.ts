import type { Pacer, Throttle } from "@dt/core";
import { orUndefined } from "@dt/core/internal";

/** How a call waits for its tokens. */
export interface TokenWait {
  readonly cost: number;
  readonly timeout: number | undefined;
  readonly signal: AbortSignal;
}

/** What is taken last, at the moment of the call. */
export interface Tokens {
  /**
   * Waits for all that a call costs; undefined when its own time is up. What was collected for one that is given up
   * goes back.
   */
  take(wait: TokenWait): Promise<true | undefined>;
  /** Says that what was taken was not used. */
  unused(cost: number): void;
}

const PER_CALL = {
  cost: ({ cost }: TokenWait) => cost,
  timeout: ({ timeout }: TokenWait) => timeout,
  signal: ({ signal }: TokenWait) => signal,
};

/**
 * The tokens of a call, in the order in which they are taken: the throttle's last. A token is good for the epoch it was
 * granted in, so a call that waited with it would go out in a later one, beside those of that epoch. Whoever waits for
 * tokens is late for its permit, so such calls come closer together than the pacer's distance.
 */
export function tokensOf(pacer: Pacer | undefined, throttle: Throttle | undefined): readonly Tokens[] {
  const all: Tokens[] = [];
  // A wrapped function collects what its call costs, over several epochs where need be.
  const taken = (_: TokenWait): true => true;
  if (pacer) {
    const paced = pacer.wrap(taken, PER_CALL);
    all.push({ take: (wait) => orUndefined(paced(wait), wait.timeout), unused: () => undefined });
  }
  if (throttle) all.push({ take: throttle.wrap(taken, PER_CALL), unused: (cost) => void throttle.deposit(cost) });
  return all;
}
