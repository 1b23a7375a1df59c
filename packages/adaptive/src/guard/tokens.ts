import { DtError, type Grant, type Pacer, type Runtime, type Semaphore, type Slot, type Throttle } from "@dt/core";
import { type Taken, whenAborted } from "@dt/core/internal";

/** How a call waits for its tokens. */
export interface TokenWait {
  readonly cost: number;
  readonly timeout: number | undefined;
  readonly priority: number;
  readonly signal: AbortSignal;
}

/** What is taken last, at the moment of the call. */
export interface Tokens {
  /** Waits for all that a call costs. What was collected for a call that gives up goes back. */
  take(wait: TokenWait): Promise<Taken>;
  /**
   * All that a call costs, without waiting. Rejects with `DT_LIMITED` where it is not there.
   * @param starts whether it waits for a start, for the call's time at most
   */
  takeNow(wait: TokenWait, starts: boolean): Promise<Taken>;
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
  return [...(pacer ? [permitsOf(runtime, pacer)] : []), ...(throttle ? [tokensOfThrottle(runtime, throttle)] : [])];
}

/** So late a call may go out with its permit, in milliseconds. */
const PERMIT_MS = 100;

/** An instant that was reached cannot be given back. */
function permitsOf(runtime: Runtime, pacer: Pacer): Tokens {
  const permit = (): Taken => {
    const untilMs = runtime.now() + PERMIT_MS;
    return { giveBack: () => undefined, isFresh: () => runtime.now() <= untilMs };
  };
  return {
    take: async ({ cost, ...wait }) => {
      await pacer.acquire(cost, wait);
      return permit();
    },
    takeNow: async ({ cost, signal }) => {
      await pacer.run(() => undefined, { cost, signal, whenLimited: "throw" });
      return permit();
    },
  };
}

function tokensOfThrottle(runtime: Runtime, throttle: Throttle): Tokens {
  const taken = (grant: Grant): Taken => ({
    giveBack: () => void grant.deposit(grant.tokens),
    isFresh: () => throttle.status().epoch === grant.epoch,
  });
  return {
    take: async ({ cost, ...wait }) => taken(await throttle.acquireGrant(cost, wait)),
    takeNow: async ({ cost, signal, timeout }, starts) => {
      if (starts) await started(runtime, throttle, "throttle", { signal, timeout });
      const grant = throttle.tryAcquireGrant(cost);
      if (grant) return taken(grant);
      const blocked = throttle.status().blockedBy;
      throw new DtError("DT_LIMITED", "the throttle has no token now; try again later, or wait", {
        retryAfterMs: blocked?.endsInMs,
      });
    },
  };
}

/**
 * A slot of the fleet, without waiting. Rejects with `DT_LIMITED` where none is here.
 * @param starts whether it waits for a start, for the call's time at most
 */
export async function enterNow(
  runtime: Runtime,
  semaphore: Semaphore,
  { cost, signal, timeout }: Omit<TokenWait, "priority">,
  starts: boolean,
): Promise<Slot> {
  if (starts) await started(runtime, semaphore, "semaphore", { signal, timeout });
  const slot = semaphore.tryAcquire(cost);
  if (slot) return slot;
  throw new DtError("DT_LIMITED", "the semaphore has no free slot in this process now; try again later, or wait");
}

/** Waits for the start. Neither a signal that ends the wait nor a timeout stops the limiter. */
function started(
  runtime: Runtime,
  limiter: Pick<Throttle, "start">,
  kind: "throttle" | "semaphore",
  { signal, timeout }: Pick<TokenWait, "signal" | "timeout">,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new DtError("DT_TIMEOUT", `the ${kind} did not start within ${timeout} ms`));
    const timer = timeout === undefined ? undefined : runtime.setTimer(late, timeout);
    const stopListening = whenAborted(signal, () => reject(signal.reason));
    limiter
      .start()
      .then(resolve, reject)
      .finally(() => {
        timer?.cancel();
        stopListening();
      });
  });
}
