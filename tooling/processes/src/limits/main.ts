/** `npm run limits`: see `--help`. */
import { HELP, parseOptions } from "./options.ts";
import { type LimitsResult, runLimits } from "./run.ts";

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
    const result = await runLimits(store, settings, say);
    process.stdout.write(json ? `${JSON.stringify({ store: store.name, ...result })}\n` : asText(store.name, result));
    if (result.violations.length > 0) process.exitCode = 1;
  }
}

function asText(store: string, { kinds, stuck, violations }: LimitsResult): string {
  const verdict = violations.length === 0 ? "the limits hold" : `the limits are broken ${violations.length} times`;
  const lines = Object.entries(kinds).map(
    ([kind, { calls, most }]) => `  ${kind}: ${calls} calls, at most ${(100 * most).toFixed(0)} % of what was allowed`,
  );
  const broken = violations.slice(0, 20).map((violation) => `  broken: ${violation}`);
  return `${[`${store}: ${verdict}; ${stuck} processes stuck`, ...lines, ...broken].join("\n")}\n`;
}
