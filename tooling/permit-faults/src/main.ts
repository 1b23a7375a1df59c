import { parseArgs } from "node:util";
import { runFaults } from "./scenario.ts";
import { stores } from "./stores/index.ts";

/*
 * node --import tooling/build-config/src/from-sources.ts tooling/permit-faults/src/main.ts [--store sqlite|redis|postgres|etcd|dynamodb]
 * Runs the faults against each store, and prints what came of it.
 */
const { values } = parseArgs({ options: { store: { type: "string", multiple: true } } });
for (const store of stores) {
  if (values.store && !values.store.includes(store.name)) continue;
  const begun = performance.now();
  const result = await runFaults(store, (line) => console.log(`  ${line}`));
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  console.log(`${store.name} (${seconds} s): ${JSON.stringify(result, undefined, 1)}`);
  if (result.violations.length > 0) process.exitCode = 1;
}
