/** `npm run budgets`: see `--help`. */
import { HELP, parseOptions } from "./options.ts";
import { type BudgetResult, runBudgets } from "./run.ts";

const options = parseOptions(process.argv.slice(2));
if (options === "help") {
  process.stdout.write(HELP);
} else if (typeof options === "string") {
  process.stderr.write(`${options}\n`);
  process.exitCode = 2;
} else {
  const { stores, settings, json } = options;
  for (const store of stores) {
    const say = (line: string): boolean => process.stderr.write(`${store.name}: ${line}\n`);
    const result = await runBudgets(store, settings, say);
    process.stdout.write(json ? `${JSON.stringify({ store: store.name, ...result })}\n` : asText(store.name, result));
    if (result.violations.length > 0) process.exitCode = 1;
  }
}

function asText(store: string, result: BudgetResult): string {
  const { calls, mostRequests, mostTokens, mostAfterLoss, overrun, seen, violations } = result;
  const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;
  const faults = Object.entries(seen).map(([what, number]) => `  ${what}: ${number}`);
  const broken = violations.slice(0, 20).map((violation) => `  broken: ${violation}`);
  const verdict = violations.length === 0 ? "the promise holds" : `the promise is broken ${violations.length} times`;
  const head = [
    `${store}: ${verdict}; ${calls} calls`,
    `in the fullest windows ${percent(mostRequests)} of the requests and ${percent(mostTokens)} of the tokens`,
    ...(mostAfterLoss > 0 ? [`${percent(mostAfterLoss)} around a loss of data`] : []),
    `${overrun.toFixed(0)} tokens beyond what was reserved`,
  ].join("; ");
  return `${[head, ...faults, ...broken].join("\n")}\n`;
}
