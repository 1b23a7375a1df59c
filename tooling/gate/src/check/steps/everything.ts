import type { Step } from "../step.ts";
import { packedSteps } from "./packed.ts";
import { testStep } from "./tests.ts";
import { toolStep } from "./tool-step.ts";
import { biome, turbo } from "./tools.ts";

/** These compute and wait for nothing: the tests, which mostly wait and may not come too late, begin when both processors are free. */
const FIRST = ["build", "typecheck", "lint", "packaging", "smoke tests"];

/**
 * Everything that must hold.
 *
 * @param tarballs an empty folder for the packages as they would be published; the caller removes it
 */
export function everything(tarballs: string): Step[] {
  return [
    toolStep("build", "turbo", ["run", "build", "--continue", ...turbo]),
    // Several checkers at a time each look at the same files again: one takes half of their processor time, and the build runs beside it.
    toolStep("typecheck", "tsc", ["-p", "tsconfig.json", "--checkers", "1"]),
    toolStep("lint", "biome", [...biome, "."]),
    ...packedSteps(tarballs, []),
    testStep([], FIRST),
  ];
}
