import type { CheckResult } from "../smoke/index.ts";
import { add, none, oneFailed, onePassed, type Totals } from "./totals.ts";

const signs = { passed: "✓", failed: "✗", excluded: "-" } as const;

export function format({ name, status, reason }: CheckResult): string {
  return `  ${signs[status]} ${name}${reason === undefined ? "" : `: ${reason}`}`;
}

export function count(results: readonly CheckResult[]): Totals {
  return results
    .filter(({ status }) => status !== "excluded")
    .map(({ status }) => (status === "passed" ? onePassed : oneFailed))
    .reduce(add, none);
}
