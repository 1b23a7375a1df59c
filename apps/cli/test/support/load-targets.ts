/**
 * Loads target files as `dt conformance` does before it runs a case, and prints what it says of each:
 * `node load-targets.ts <file>...`.
 */
import { loadTarget } from "../../src/conformance/load-target.ts";
import { probeStore } from "../../src/conformance/probe-store.ts";
import { UsageError } from "../../src/exit-code.ts";

const said: string[] = [];
for (const file of process.argv.slice(2)) {
  try {
    await probeStore(await loadTarget(file), file);
    said.push("accepted");
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    said.push(error.message);
  }
}
process.stdout.write(JSON.stringify(said));
