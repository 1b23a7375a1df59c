import { DtError } from "@dt/core";
import type { PoolAnswer } from "./source.ts";

/** The largest pool. Every observer keeps the names of all, so this is a bound on memory, far above any real pool. */
export const LARGEST_POOL = 100_000;

/** An answer, checked, as a set of names. */
export interface CheckedAnswer {
  readonly names: ReadonlySet<string>;
  /** This member's name; undefined when it is not listed, or when the pool is only counted. */
  readonly self: string | undefined;
  /** True when the answer says how many, and not who. */
  readonly counted: boolean;
}

/**
 * An answer of a source is somebody else's word: refused before anything is done with it.
 * @throws DtError `DT_STORE_REPLY`
 */
export function checkAnswer(source: string, answer: PoolAnswer): CheckedAnswer {
  const { pool, self, freshForMs, lagMs } = answer;
  if (!(freshForMs > 0)) throw refused(source, `freshForMs ${String(freshForMs)}; it is a number of milliseconds > 0`);
  if (!(lagMs >= 0 && lagMs < Number.POSITIVE_INFINITY))
    throw refused(source, `lagMs ${String(lagMs)}; it is a number of milliseconds >= 0`);
  if (typeof pool === "number") {
    if (!Number.isSafeInteger(pool) || pool < 1 || pool > LARGEST_POOL)
      throw refused(source, `a member count of ${String(pool)}; it is a whole number from 1 to ${LARGEST_POOL}`);
    return {
      names: new Set(Array.from({ length: pool }, (_, index) => String(index))),
      self: undefined,
      counted: true,
    };
  }
  if (!Array.isArray(pool) || !pool.every((name) => typeof name === "string" && name !== ""))
    throw refused(source, "a pool that is neither a number nor a list of names");
  const names = new Set<string>(pool);
  if (names.size > LARGEST_POOL) throw refused(source, `${names.size} names; at most ${LARGEST_POOL} are taken`);
  return { names, self: self !== undefined && names.has(self) ? self : undefined, counted: false };
}

function refused(source: string, what: string): DtError {
  return new DtError("DT_STORE_REPLY", `${source} answered ${what}`);
}
