import type { AcquireOptions, Grant } from "@dt/core";
import type { CallerContext } from "./callers.ts";

/** One `tryAcquireUpTo`; false when this caller has ended. */
export function take(context: CallerContext, n: number): boolean {
  if (context.ended()) return false;
  const { process } = context;
  process.polling = true;
  process.returned += unlessFinal(() => process.throttle.tryAcquireUpTo(n)) ?? 0;
  process.polling = false;
  return true;
}

/** One `tryAcquireGrant`, a part of which may be given back at once. */
export function takeGrant(context: CallerContext, n: number): void {
  if (context.ended()) return;
  const grant = grantNow(context, n);
  // What is not there is wanted, too.
  if (grant === undefined || grant.tokens < n) take(context, n - (grant?.tokens ?? 0));
  if (grant && context.random.chance(0.5)) context.giveBack(grant, context.random.integer(1, grant.tokens));
}

/** A grant of what is there now, at most `n`; undefined where nothing is. */
function grantNow({ process }: CallerContext, n: number): Grant | undefined {
  const { throttle } = process;
  const tokens = Math.min(n, throttle.status().available);
  const grant = tokens > 0 ? unlessFinal(() => throttle.tryAcquireGrant(tokens)) : undefined;
  process.returned += grant?.tokens ?? 0;
  return grant;
}

/** Callers do not know that a throttle is being stopped: then they get nothing. */
function unlessFinal<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (isFinal(error)) return undefined;
    throw error;
  }
}

/**
 * One `acquireUpTo`; `done` is called with what was granted, or undefined after its timeout or an error, unless the
 * throttle is finished.
 */
export function acquire(
  context: CallerContext,
  n: number,
  timeoutMs: number | undefined,
  done: (granted: number | undefined) => void,
): void {
  ask(
    context,
    timeoutMs,
    (options) => context.process.throttle.acquireUpTo(n, options),
    (granted) => granted,
    done,
  );
}

/** One `acquire` of all of a cost, with a priority: a call that begins once it is granted. */
export function call(context: CallerContext, cost: number, timeoutMs: number | undefined, priority: number): void {
  context.asks(cost);
  ask(
    context,
    timeoutMs,
    async (options) => {
      await context.process.throttle.acquire(cost, { ...options, priority });
      context.began(cost);
    },
    () => cost,
    () => undefined,
  );
}

/** One `acquireGrant` of a token, likewise; `done` is called with a grant of the others that are there, up to `n`. */
export function acquireGrant(
  context: CallerContext,
  n: number,
  timeoutMs: number | undefined,
  done: (grant: Grant | undefined) => void,
): void {
  ask(
    context,
    timeoutMs,
    (options) => context.process.throttle.acquireGrant(1, options),
    ({ tokens }) => tokens,
    (grant) => done(grant && n > 1 ? (grantNow(context, n - 1) ?? grant) : grant),
  );
}

function ask<T>(
  context: CallerContext,
  timeoutMs: number | undefined,
  call: (options: AcquireOptions) => Promise<T>,
  tokensOf: (answer: T) => number,
  done: (answer: T | undefined) => void,
): void {
  if (context.ended()) return;
  const { process, random, runtime } = context;
  const abort = random.chance(0.05) && !context.calm() ? new AbortController() : undefined;
  if (abort) runtime.setTimer(() => abort.abort(new Error("given up")), random.between(0, 2_000));
  process.pending += 1;
  call({ ...(timeoutMs !== undefined && { timeout: timeoutMs }), ...(abort && { signal: abort.signal }) }).then(
    (answer) => {
      process.pending -= 1;
      process.returned += tokensOf(answer);
      done(answer);
    },
    (error: unknown) => {
      process.pending -= 1;
      if (!isFinal(error)) done(undefined);
    },
  );
}

/** True for the error of a throttle that grants nothing any more. */
export function isFinal(error: unknown): boolean {
  const { code } = error as { readonly code?: string };
  return code === "DT_STOPPED" || code === "DT_MEMBER_FENCED";
}
