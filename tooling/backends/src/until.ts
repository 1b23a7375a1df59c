import { setTimeout as sleep } from "node:timers/promises";

/** A machine of continuous integration may be so many times slower than the one that a deadline was chosen on. */
const SLOWER = 10;

/**
 * Waits until `attempt` gives something other than `undefined` or `false`, and returns it. An attempt that throws
 * counts as "not yet" and becomes the `cause` of the error.
 *
 * @param what what is waited for, as a statement: "the replica is up"
 * @param withinMs how long it takes at most on an ordinary machine, in milliseconds. The deadline is ten times that: it
 *   is against hangs only. An attempt under way when it passes may still finish and is then accepted
 * @throws Error naming `what` and the deadline
 */
export async function until<T>(
  what: string,
  withinMs: number,
  attempt: () => T | Promise<T>,
): Promise<Exclude<T, undefined | false>> {
  const patienceMs = SLOWER * withinMs;
  const deadline = performance.now() + patienceMs;
  let cause: unknown;
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.5, 200)) {
    try {
      const result = await attempt();
      if (result !== undefined && result !== false) return result as Exclude<T, undefined | false>;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= deadline) {
      throw new Error(`not within ${patienceMs} ms: ${what}`, cause === undefined ? undefined : { cause });
    }
    await sleep(pauseMs);
  }
}
