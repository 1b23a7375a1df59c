import { judge, type Mutant } from "./mutants/index.ts";
import type { MutantResult } from "./results.ts";

/** Runs the suite against every mutant, in virtual time. Says on `say` which got through. */
export async function runMutants(mutants: readonly Mutant[], say: (line: string) => void): Promise<MutantResult> {
  let rejected = 0;
  for (const [index, mutant] of mutants.entries()) {
    const { rejectedBy, failures } = await judge(mutant);
    if (rejectedBy !== undefined) rejected += 1;
    else
      say(
        `mutant NOT rejected by a case that names ${mutant.rule}: ${mutant.name} (failed: ${failures.map(({ rule, case: name }) => `${rule}: ${name}`).join("; ") || "none"})`,
      );
    if ((index + 1) % 25 === 0) say(`mutants: ${index + 1} of ${mutants.length}`);
  }
  say(`mutants: ${rejected} of ${mutants.length} rejected`);
  return { total: mutants.length, rejected };
}
