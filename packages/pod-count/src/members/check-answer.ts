import { DtError } from "@dt/core";
import type { MemberAnswer } from "./source.ts";

/** The most members. Every observer keeps the names of all, so this is a bound on memory, far above any real fleet. */
export const MOST_MEMBERS = 100_000;

/** An answer, checked, as a set of names. */
export interface CheckedAnswer {
  readonly names: ReadonlySet<string>;
  /** This member's name; undefined when it is not listed, or when members are only counted. */
  readonly self: string | undefined;
  /** True when the answer says how many, and not who. */
  readonly counted: boolean;
}

/**
 * An answer of a source is somebody else's word: refused before anything is done with it.
 * @throws DtError `DT_STORE_REPLY`
 */
export function checkAnswer(source: string, answer: MemberAnswer): CheckedAnswer {
  const { members, self, freshForMs, lagMs } = answer;
  if (!(freshForMs > 0)) throw refused(source, `freshForMs ${String(freshForMs)}; it is a number of milliseconds > 0`);
  if (!(lagMs >= 0 && lagMs < Number.POSITIVE_INFINITY))
    throw refused(source, `lagMs ${String(lagMs)}; it is a number of milliseconds >= 0`);
  if (typeof members === "number") {
    if (!Number.isSafeInteger(members) || members < 1 || members > MOST_MEMBERS)
      throw refused(source, `a member count of ${String(members)}; it is a whole number from 1 to ${MOST_MEMBERS}`);
    return {
      names: new Set(Array.from({ length: members }, (_, index) => String(index))),
      self: undefined,
      counted: true,
    };
  }
  if (!Array.isArray(members) || !members.every((name) => typeof name === "string" && name !== ""))
    throw refused(source, "members that are neither a number nor a list of names");
  const names = new Set<string>(members);
  if (names.size > MOST_MEMBERS) throw refused(source, `${names.size} names; at most ${MOST_MEMBERS} are taken`);
  return { names, self: self !== undefined && names.has(self) ? self : undefined, counted: false };
}

function refused(source: string, what: string): DtError {
  return new DtError("DT_STORE_REPLY", `${source} answered ${what}`);
}
