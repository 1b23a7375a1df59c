import { DtError } from "../errors/dt-error.ts";
import { describe } from "../kit/duration.ts";

/**
 * A number of tokens: whole, at least 1.
 * @throws DtError `DT_INVALID_TOKENS`
 */
export function checkTokens(n: number): void {
  if (!Number.isSafeInteger(n) || n < 1)
    throw new DtError("DT_INVALID_TOKENS", `${describe(n)} tokens were asked for; give a whole number >= 1`);
}
