import type { Step } from "../step.ts";
import { packedSteps } from "./packed.ts";
import { testStep } from "./tests.ts";
import { toolStep } from "./tool-step.ts";
import { biome, turbo } from "./tools.ts";

/** These compute and wait for nothing. */
const COMPUTING = ["build", "typecheck", "typecheck of the page", "typecheck of the site", "lint"];
/**
 * Users' programs with the packages' default deadlines, of a second: nothing runs beside them. On a busy machine they
 * met that deadline while the tests that only compute kept both processors busy.
 */
const PACKED = ["packaging", "smoke tests"];

/**
 * Everything that must hold.
 *
 * @param tarballs an empty folder for the packages as they would be published; the caller removes it
 */
export function everything(tarballs: string): Step[] {
  return [
    toolStep("build", "turbo", ["run", "build", "--continue", ...turbo]),
    // Several checkers at a time each look at the same files again: one takes half of their processor time, and the
    // build runs beside it.
    toolStep("typecheck", "tsc", ["-p", "tsconfig.json", "--checkers", "1"]),
    // It runs in a browser: other globals, and another project.
    toolStep("typecheck of the page", "tsc", ["-p", "apps/cli/src/console/page"]),
    // What builds the site knows a browser's globals by its types.
    toolStep("typecheck of the site", "tsc", ["-p", "apps/docs"]),
    toolStep("lint", "biome", [...biome, "."]),
    ...packedSteps(tarballs, []),
    testStep([], [...COMPUTING, ...PACKED]),
  ];
}
