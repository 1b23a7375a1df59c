/** `npm run -s simulate`: see `suite/options.ts` for what it does. */

import { HELP, parseOptions, type SuiteOptions } from "./suite/options.ts";
import { runSuite } from "./suite/suite.ts";
import { tables } from "./suite/table.ts";

// A reader that has seen enough, such as `head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

try {
  await main(parseOptions(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  process.stderr.write(`${error.message}\n\n${HELP}`);
  process.exitCode = 2;
}

async function main(options: SuiteOptions): Promise<void> {
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  const startedMs = performance.now();
  let said = 0;
  const results = await runSuite(options, (done, of) => {
    const percent = Math.floor((20 * done) / of);
    if (percent === said) return;
    said = percent;
    process.stderr.write(`${done} of ${of} runs, ${((performance.now() - startedMs) / 1_000).toFixed(0)} s\n`);
  });
  process.stdout.write(options.json ? `${JSON.stringify({ results })}\n` : tables(results));
}
