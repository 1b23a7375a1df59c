import { DtError } from "../errors/dt-error.ts";
import { describe } from "../internal/duration.ts";

/**
 * A number of tokens: whole, at least 1, and at most what can ever be granted.
 * @throws DtError `DT_INVALID_COST`
 */
export function checkTokens(n: unknown, max: number = Number.POSITIVE_INFINITY): number {
  if (!Number.isSafeInteger(n) || (n as number) < 1) {
    const hint = typeof n === "object" && n !== null ? "; options come second: acquire(1, { timeout })" : "";
    throw new DtError("DT_INVALID_COST", `${describe(n)} tokens were asked for; give a whole number >= 1${hint}`);
  }
  if ((n as number) > max)
    throw new DtError("DT_INVALID_COST", `${n} tokens are more than max (${max}); ask for less, or raise max`);
  return n as number;
}

/**
 * Tokens that were not used: whole, at least 0.
 * @throws DtError `DT_INVALID_COST`
 */
export function checkDeposit(n: unknown): void {
  if (!Number.isSafeInteger(n) || (n as number) < 0)
    throw new DtError(
      "DT_INVALID_COST",
      `${describe(n)} tokens were deposited; give a whole number >= 0: grant.tokens for all of them`,
    );
}
