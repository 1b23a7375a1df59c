import { checkInteger } from "@dt/core/ledger";
import { LARGEST_POOL } from "../pool/check-answer.ts";
import type { PoolSource } from "../pool/source.ts";

/**
 * A pool of a size that is known and never changes.
 * @param memberCount how many processes there are
 * @throws DtError `DT_INVALID_OPTION`
 * @example podCountStore({ source: fixedSource(4) });
 */
export function fixedSource(memberCount: number): PoolSource {
  const pool = checkInteger("memberCount", memberCount, 1, LARGEST_POOL);
  return constantSource(`a fixed pool of ${pool}`, pool);
}

/** A source whose one answer holds for ever. */
export function constantSource(name: string, pool: number): PoolSource {
  return {
    name,
    open(observer) {
      observer.observed({ pool, freshForMs: Number.POSITIVE_INFINITY, lagMs: 0 });
      return () => undefined;
    },
  };
}
