/** `npm run permits`: see `--help`. */
import { writeFileSync } from "node:fs";
import { HELP, parseOptions } from "./options.ts";
import { recordOf, writeRecords } from "./record.ts";
import { asText } from "./report.ts";
import { run } from "./run.ts";

const args = process.argv.slice(2);
if (args.includes("--help") || args.includes("-h")) {
  process.stdout.write(HELP);
  process.exit(0);
}
const options = parseOptions(args);
if (typeof options === "string") {
  process.stderr.write(`${options}\n`);
  process.exit(2);
}
const say = (line: string): boolean => process.stderr.write(`${line}\n`);
let failed = false;
for (const store of options.stores) {
  const result = await run(store, options.settings, say);
  failed ||= result.violations.length > 0;
  process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : asText(result));
  if (options.save) {
    const file = new URL(`../../results/${store.name}.json`, import.meta.url);
    writeFileSync(file, `${JSON.stringify(recordOf(result), undefined, 2)}\n`);
  }
}
if (options.save) writeRecords();
process.exitCode = failed ? 1 : 0;
