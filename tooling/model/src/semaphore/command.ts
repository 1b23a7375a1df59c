import * as ledger from "@dt/core/ledger";
import { print, showFinding, timed } from "../report.ts";
import { DEFAULT_SEMAPHORE_BOUNDS } from "./bounds.ts";
import { exploreSlots } from "./explore.ts";
import { parseSlotOptions, SLOT_HELP, type SlotModelOptions } from "./options.ts";
import { FULL_SLOT_RUN, type SlotRun } from "./runs.ts";
import { slotTrapsNamed, springSlots } from "./traps.ts";
import { allSlotRules } from "./world.ts";

/**
 * `npm run -s model -- semaphore`. Returns the exit code.
 * @throws TypeError that names the option, the value and the remedy
 */
export function modelSlots(args: readonly string[]): number {
  const options = parseSlotOptions(args);
  if (options.help) {
    process.stdout.write(SLOT_HELP);
    return 0;
  }
  const traps = slotTrapsNamed(options.traps);
  const explorations = runsOf(options).map((run) => {
    const bounds = { ...DEFAULT_SEMAPHORE_BOUNDS, ...run.bounds };
    const setting = { bounds, ledger, flaw: undefined, rules: allSlotRules(bounds) };
    return { ...timed(run.name, (progress) => exploreSlots(setting, progress)), bounds: run.bounds };
  });
  const findings = traps.map((trap) => {
    const finding = springSlots(trap);
    showFinding(finding);
    return finding;
  });
  return print(explorations, findings, options.json);
}

/** Named traps alone are shown without the explorations. */
function runsOf({ bounds, traps, run }: SlotModelOptions): readonly SlotRun[] {
  if (bounds) return [{ name: "with the bounds given", bounds }];
  if (run !== undefined) return FULL_SLOT_RUN.filter(({ name }) => name.includes(run));
  return traps !== undefined && traps.length > 0 ? [] : FULL_SLOT_RUN;
}
