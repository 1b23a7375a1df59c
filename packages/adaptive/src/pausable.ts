import type { PauseEnd } from "@dt/core";
import { checkVersion, invalidOption } from "@dt/core/internal";

/** A limiter that pauses in the whole fleet: a throttle, a semaphore, a pacer, a budget. */
export interface Pausable {
  /**
   * Lets nothing pass before then, in any process.
   * @param until a `Date`, milliseconds since 1970, a `Retry-After` field, or a duration such as `"30s"`
   */
  pauseUntil(until: PauseEnd): void;
}

/** True for what can be paused, by the method that it has: it may come from any package. */
export function isPausable(part: unknown): part is Pausable {
  return typeof part === "object" && part !== null && typeof (part as Partial<Pausable>).pauseUntil === "function";
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkPausables(name: string, given: unknown): readonly Pausable[] {
  if (Array.isArray(given)) {
    for (const part of given) checkVersion(name, part);
    if (given.every(isPausable)) return [...given];
  }
  throw invalidOption(name, given, "give a list of limiters that have pauseUntil, or leave it out");
}

/** Pauses each for so long from now on, in whole milliseconds and never too short. */
export function pauseAll(parts: readonly Pausable[], forMs: number): void {
  for (const part of parts) part.pauseUntil(`${Math.ceil(forMs)}ms`);
}
