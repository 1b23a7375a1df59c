/** `npm run in-flight`: see `--help`. */
import { HELP, parseOptions } from "./options.ts";
import { runSemaphores, type SemaphoreResult } from "./run.ts";

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
    const result = await runSemaphores(store, settings, say);
    process.stdout.write(json ? `${JSON.stringify({ store: store.name, ...result })}\n` : asText(store.name, result));
    if (result.violations.length > 0) process.exitCode = 1;
  }
}

function asText(store: string, { calls, most, seenMs, seen, violations }: SemaphoreResult): string {
  const states = Object.entries(seenMs).map(([state, ms]) => `  ${state} for ${Math.round(ms)} ms`);
  const faults = Object.entries(seen).map(([what, number]) => `  ${what}: ${number}`);
  const broken = violations.slice(0, 20).map((violation) => `  broken: ${violation}`);
  const verdict = violations.length === 0 ? "the promise holds" : `the promise is broken ${violations.length} times`;
  const head = `${store}: ${verdict}; ${calls} calls, at most ${most} in flight beyond max, in named states:`;
  return `${[head, ...states, ...faults, ...broken].join("\n")}\n`;
}
