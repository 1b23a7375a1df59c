import type { CaseContext } from "../context.ts";
import { ROUNDING_MS } from "./rounding.ts";

/** That a time is the one expected, but for the rounding of sums. */
export function near(context: CaseContext, actualMs: number, expectedMs: number, what: string): void {
  context.that(
    Math.abs(actualMs - expectedMs) <= ROUNDING_MS,
    `${what}: expected ${expectedMs} ms, received ${actualMs} ms`,
  );
}
