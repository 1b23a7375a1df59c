/** `npm run -s model`: see `options.ts` for what it does. */

import * as ledger from "@dt/core/ledger";
import { DEFAULT_BOUNDS } from "./bounds.ts";
import { explore } from "./explore/explore.ts";
import { HELP, type ModelOptions, parseOptions } from "./options.ts";
import { print, say, showFinding, timed } from "./report.ts";
import { FULL_RUN, type Run } from "./runs.ts";
import { modelSlots } from "./semaphore/command.ts";
import { trapsNamed } from "./traps/catalogue.ts";
import { spring } from "./traps/spring.ts";
import { allRules } from "./world/world.ts";

try {
  const [first, ...rest] = process.argv.slice(2);
  process.exitCode = first === "semaphore" ? modelSlots(rest) : main(parseOptions(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  say(`${error.message}\n\n${HELP}`);
  process.exitCode = 2;
}

function main(options: ModelOptions): number {
  if (options.command === "help") {
    process.stdout.write(HELP);
    return 0;
  }
  const traps = trapsNamed(options.traps);
  const explorations = runsOf(options).map((run) => {
    const bounds = { ...DEFAULT_BOUNDS, ...run.bounds };
    const setting = { bounds, ledger, flaw: undefined, rules: allRules(bounds) };
    return { ...timed(run.name, (progress) => explore(setting, progress)), bounds: run.bounds };
  });
  const findings = traps.map((trap) => {
    const finding = spring(trap);
    showFinding(finding);
    return finding;
  });
  return print(explorations, findings, options.json);
}

/** Named traps alone are shown without the explorations. */
function runsOf({ bounds, traps, run }: ModelOptions): readonly Run[] {
  if (bounds) return [{ name: "with the bounds given", bounds }];
  if (run !== undefined) return FULL_RUN.filter(({ name }) => name.includes(run));
  return traps !== undefined && traps.length > 0 ? [] : FULL_RUN;
}
