import { DtError } from "../errors/dt-error.ts";
import { checkDuration, checkInteger, checkKeys, checkSignal } from "../internal/check.ts";
import { describe } from "../internal/duration.ts";
import type { AcquireOptions } from "./options.ts";

/**
 * A number of tokens: whole, at least 1.
 * @throws DtError `DT_INVALID_COST`
 */
export function checkTokens(n: number): void {
  if (!Number.isSafeInteger(n) || n < 1)
    throw new DtError("DT_INVALID_COST", `${describe(n)} tokens were asked for; give a whole number >= 1`);
}

/**
 * Tokens that were not used: whole, at least 0.
 * @throws DtError `DT_INVALID_COST`
 */
export function checkDeposit(n: number): void {
  if (!Number.isSafeInteger(n) || n < 0)
    throw new DtError("DT_INVALID_COST", `${describe(n)} tokens were deposited; give a whole number >= 0`);
}

/**
 * What a wrapped call costs must be within reach: it waits until all of its tokens are granted.
 * @throws DtError `DT_INVALID_COST`
 */
export function checkCallCost(cost: number, max: number): void {
  checkTokens(cost);
  if (cost > max)
    throw new DtError(
      "DT_INVALID_COST",
      `a call costs ${cost} tokens, more than max (${max}); let it cost less, or raise max`,
    );
}

/**
 * What each call of a wrapped function costs, where that is one number.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkFixedCost(cost: number): void {
  checkInteger("cost", cost, 1);
}

const ACQUIRE_OPTIONS: ReadonlySet<string> = new Set<keyof AcquireOptions>(["timeout", "signal"]);

/**
 * How long a caller waits, in milliseconds, and what ends its waiting.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkAcquire(options: AcquireOptions = {}): {
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
} {
  checkKeys("options", options, ACQUIRE_OPTIONS);
  const { timeout, signal } = options;
  const timeoutMs = timeout === undefined ? undefined : checkDuration("timeout", timeout, 0);
  return { timeoutMs, signal: checkSignal(signal) };
}
