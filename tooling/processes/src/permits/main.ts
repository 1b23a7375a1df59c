/** `npm run permits`: see `--help`. */
import { runFaults } from "./faults.ts";
import { HELP, type Options, parseOptions } from "./options.ts";
import { asText } from "./report.ts";
import { runSteady } from "./steady.ts";
import type { PermitStore } from "./stores/permit-store.ts";

const options = parseOptions(process.argv.slice(2));
if (options === "help") {
  process.stdout.write(HELP);
} else if (typeof options === "string") {
  process.stderr.write(`${options}\n`);
  process.exitCode = 2;
} else {
  for (const store of options.stores) if (!(await isWell(store, options))) process.exitCode = 1;
}

/** Runs a store, prints what came of it, and says whether all was well. */
async function isWell(store: PermitStore, { settings, faults, json }: Options): Promise<boolean> {
  const say = (line: string): boolean => process.stderr.write(`${store.name}: ${line}\n`);
  if (faults) {
    const result = { store: store.name, ...(await runFaults(store, say)) };
    process.stdout.write(`${JSON.stringify(result, undefined, json ? 0 : 1)}\n`);
    return result.violations.length === 0;
  }
  const result = await runSteady(store, settings, say);
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : asText(result));
  return result.violations.length === 0;
}
