import { checkInteger } from "@dt/core/ledger";
import { MOST_MEMBERS } from "../members/check-answer.ts";
import type { MemberSource } from "../members/source.ts";

/**
 * A fleet of a size that is known and never changes.
 * @param memberCount how many processes there are
 * @throws DtError `DT_INVALID_OPTION`
 * @example podCountStore({ source: fixedSource(4) });
 */
export function fixedSource(memberCount: number): MemberSource {
  const members = checkInteger("memberCount", memberCount, 1, MOST_MEMBERS);
  return constantSource(`a fixed fleet of ${members}`, members);
}

/** A source whose one answer holds for ever. */
export function constantSource(name: string, members: number): MemberSource {
  return {
    name,
    open(observer) {
      observer.observed({ members, freshForMs: Number.POSITIVE_INFINITY, lagMs: 0 });
      return () => undefined;
    },
  };
}
