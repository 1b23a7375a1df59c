import type { Grant } from "@dt/core";
import type { Checker } from "../check/checker.ts";
import type { SimProcess } from "./sim-process.ts";

/** What of each grant was given back so far. */
const given = new WeakMap<Grant, number>();

/**
 * Gives tokens of a grant back. From this instant the caller does not use them, so that somebody else may get them
 * while the call still runs; what the throttle then says that it did not take counts again.
 */
export function giveBack(checker: Checker, process: SimProcess, grant: Grant, k: number): void {
  const before = given.get(grant) ?? 0;
  const mine = Math.min(k, grant.tokens - before);
  given.set(grant, before + mine);
  checker.gaveBack(process, grant.epoch, mine);
  const taken = grant.deposit(k);
  if (taken > mine)
    checker.report("grant-count", `${process.label} took back ${taken} of ${mine} tokens that were left of a grant`);
  else if (taken < mine) checker.lost(process, grant.epoch, mine - taken);
}
