/** `npm run -s shares`: see `options.ts` for what it does. */

import { HELP, parseOptions, type SharesOptions } from "./options.ts";
import { asText, runTable } from "./table.ts";

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (text: string): void => void process.stdout.write(text);

// A reader that has seen enough, such as `head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

try {
  process.exitCode = await main(parseOptions(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  say(`${error.message}\n\n${HELP}`);
  process.exitCode = 2;
}

async function main(options: SharesOptions): Promise<number> {
  if (options.command === "help") {
    print(HELP);
    return 0;
  }
  const rows = await runTable(options, say);
  print(options.json ? `${JSON.stringify({ rows })}\n` : asText(rows));
  const above = rows.filter(({ fullestEpoch }) => fullestEpoch > 1);
  for (const { members, demand, shares } of above) say(`an epoch above its limit: ${members} ${demand} ${shares}`);
  return above.length > 0 ? 1 : 0;
}
