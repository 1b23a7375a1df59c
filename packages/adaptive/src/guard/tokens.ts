import { DtError, type Grant, type Pacer, type Runtime, type Throttle } from "@dt/core";
import { whenAborted } from "@dt/core/internal";

/** How a call waits for its tokens. */
export interface TokenWait {
  readonly cost: number;
  readonly timeout: number | undefined;
  readonly priority: number;
  readonly signal: AbortSignal;
}

/** Gives back what a call had taken that does not go through. */
export type GiveBack = () => void;

/** What is taken last, at the moment of the call. */
export interface Tokens {
  /** Waits for all that a call costs. What was collected for a call that gives up goes back. */
  take(wait: TokenWait): Promise<GiveBack>;
  /**
   * All that a call costs, without waiting. Rejects with `DT_LIMITED` where it is not there.
   * @param starts whether it waits for a start, for the call's time at most
   */
  takeNow(wait: TokenWait, starts: boolean): Promise<GiveBack>;
}

/**
 * The tokens of a call, in the order in which they are taken: the throttle's last. A token is good for the epoch it was
 * granted in, so a call that waited with it would go out in a later one, beside those of that epoch. A call that waits
 * for tokens is late for its permit, so such calls come closer together than the pacer's distance.
 */
export function tokensOf(
  runtime: Runtime,
  pacer: Pacer | undefined,
  throttle: Throttle | undefined,
): readonly Tokens[] {
  return [...(pacer ? [permitsOf(pacer)] : []), ...(throttle ? [tokensOfThrottle(runtime, throttle)] : [])];
}

const nothingToGiveBack: GiveBack = () => undefined;

/** An instant that was reached cannot be given back. */
function permitsOf(pacer: Pacer): Tokens {
  return {
    take: async ({ cost, ...wait }) => {
      await pacer.acquire(cost, wait);
      return nothingToGiveBack;
    },
    takeNow: async ({ cost, signal }) => {
      await pacer.run(() => undefined, { cost, signal, whenLimited: "throw" });
      return nothingToGiveBack;
    },
  };
}

function tokensOfThrottle(runtime: Runtime, throttle: Throttle): Tokens {
  const giveBack = (grant: Grant): GiveBack => {
    return () => void grant.deposit(grant.tokens);
  };
  return {
    take: async ({ cost, ...wait }) => giveBack(await throttle.acquireGrant(cost, wait)),
    takeNow: async ({ cost, signal, timeout }, starts) => {
      if (starts) await started(runtime, throttle, { signal, timeout });
      const grant = throttle.tryAcquireGrant(cost);
      if (grant) return giveBack(grant);
      const blocked = throttle.status().blockedBy;
      throw new DtError("DT_LIMITED", "the throttle has no token now; try again later, or wait", {
        retryAfterMs: blocked?.endsInMs,
      });
    },
  };
}

/** Waits for the start. Neither a signal that ends the wait nor a timeout stops the throttle. */
function started(
  runtime: Runtime,
  throttle: Throttle,
  { signal, timeout }: Pick<TokenWait, "signal" | "timeout">,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new DtError("DT_TIMEOUT", `the throttle did not start within ${timeout} ms`));
    const timer = timeout === undefined ? undefined : runtime.setTimer(late, timeout);
    const stopListening = whenAborted(signal, () => reject(signal.reason));
    throttle
      .start()
      .then(resolve, reject)
      .finally(() => {
        timer?.cancel();
        stopListening();
      });
  });
}
