import type { Step } from "../check/step.ts";
import { runVitest } from "../check/steps/tests.ts";

/** Every test of a checker, one file after the other: some run stores in real time, beside which nothing computes. */
export function proofStep(after: readonly string[]): Step {
  return {
    name: "proof",
    after,
    run: (write) => runVitest([{ args: ["--config=vitest.proof.config.ts"], workers: 1 }], [], write),
  };
}
