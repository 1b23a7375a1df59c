import { parseArgs } from "node:util";
import { runFaults } from "./scenario.ts";
import { stores } from "./stores/index.ts";

const names = stores.map(({ name }) => name).join(", ");
const HELP = `Usage: npm run -s permit-faults -- [options]

Real processes take permits while a holder is killed, a process and the store stand still, the store is restarted, replies are lost and a thousand callers
give up at once; one worker's wall clock is 5 s off. Then their logs are judged: no permit early or twice, none lost, nobody hangs.

  --store NAME   ${names}; may be given several times (default: each in turn)
  --json         what was found, one line for each store

Exit code: 0 when all is well, 1 when something is not, 2 for options that make no sense.
`;

const wanted = options();
for (const store of stores) {
  if (wanted.store.length > 0 && !wanted.store.includes(store.name)) continue;
  const begun = performance.now();
  const result = await runFaults(store, (line) => process.stderr.write(`${store.name}: ${line}\n`));
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  const found = { store: store.name, seconds, ...result };
  process.stdout.write(`${JSON.stringify(found, undefined, wanted.json ? 0 : 1)}\n`);
  if (result.violations.length > 0) process.exitCode = 1;
}

function options(): { readonly store: readonly string[]; readonly json: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        store: { type: "string", multiple: true, default: [] },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) {
      process.stdout.write(HELP);
      process.exit(0);
    }
    for (const name of values.store)
      if (!stores.some((store) => store.name === name)) throw new Error(`--store is ${name}; there are ${names}`);
    return values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
}
