import { run } from "../child.ts";
import type { Step } from "../step.ts";
import { oneFailed, onePassed } from "../totals.ts";

/** A step that is one run of one tool: exit code 0 passes. */
export function toolStep(name: string, tool: string, args: readonly string[]): Step {
  return {
    name,
    run: async (write) => {
      const problem = await run(tool, args, write);
      if (problem === undefined) return onePassed;
      write(`${name}: ${tool} ended with ${problem}\n`);
      return oneFailed;
    },
  };
}
