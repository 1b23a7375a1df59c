// npm run permits -- --store redis [--processes 20] [--permits 2000] [--every 20] [--max-reserved 10] [--callers 2] [--json] [--save]
import { writeFileSync } from "node:fs";
import { parseOptions } from "./options.ts";
import { recordOf, writeRecords } from "./record.ts";
import { asText } from "./report.ts";
import { run } from "./run.ts";

const options = parseOptions(process.argv.slice(2));
if (typeof options === "string") {
  process.stderr.write(`${options}\n`);
  process.exit(2);
}
let failed = false;
for (const store of options.stores) {
  const result = await run(store, options.settings);
  failed ||= result.violations.length > 0;
  process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : asText(result));
  if (options.save) {
    const file = new URL(`../results/${store.name}.json`, import.meta.url);
    writeFileSync(file, `${JSON.stringify(recordOf(result), undefined, 2)}\n`);
  }
}
if (options.save) writeRecords();
process.exitCode = failed ? 1 : 0;
