import { isDtError } from "@dt/core";
import type { CaseChecks } from "../case-checks.ts";

const ATTEMPTS = 20;

/**
 * Sends a call again when it came too late or was refused for now: on one key at the same time a store that compares
 * and swaps may be slow. Calls of the permit ledger may be repeated (P6), so that this changes nothing.
 */
export async function insist<T>(context: CaseChecks, send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      const late = isDtError(error, "DT_STORE_TIMEOUT") || isDtError(error, "DT_STORE_UNAVAILABLE");
      if (!late || attempt === ATTEMPTS) throw error;
      await context.sleep(context.ms(20));
    }
  }
}
