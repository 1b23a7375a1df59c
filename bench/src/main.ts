/** `npm run bench -- <name> [options]`: measures, and shows or keeps what came out. Only that goes to stdout. */
import { relative } from "node:path";
import type { Benchmark } from "./benchmark.ts";
import { type Command, parseCommand, UsageError } from "./command-line.ts";
import { thisMachine } from "./machine.ts";
import { writePerformancePage } from "./performance-page.ts";
import { writePlots } from "./plots/plots.ts";
import { benchmarks } from "./registry.ts";
import { asText } from "./report/as-text.ts";
import { type Result, savedResult, saveResult } from "./saved-results.ts";
import { writeSignalPage } from "./signal-page.ts";
import { writeStoresPage } from "./stores-page.ts";

/** Who writes the pages of benchmarks that have their own. */
const writers = new Map<string | undefined, () => string>([
  ["stores.md", writeStoresPage],
  ["signal.md", writeSignalPage],
]);

const say = (line: string): boolean => process.stderr.write(`${line}\n`);

try {
  const command = parseCommand(
    process.argv.slice(2),
    benchmarks.map(({ name }) => name),
    (benchmark) => benchmarks.find(({ name }) => name === benchmark)?.parts ?? [],
  );
  if (command.type === "list") process.stdout.write(help());
  else await run(command);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  say(`${error.message}. \`npm run bench\` lists what there is.`);
  process.exitCode = 2;
}

async function run(command: Command & { readonly type: "run" }): Promise<void> {
  const benchmark = benchmarks.find(({ name }) => name === command.benchmark) as Benchmark;
  const { rounds, quick, json, save, only } = command;
  const commandLine = `npm run -s bench -- ${process.argv.slice(2).join(" ")}`;
  const fresh = await benchmark.run({ rounds, quick, only, command: commandLine, progress: say });
  const kept = save && only !== undefined ? savedResult(benchmark.name) : undefined;
  const figures = kept && benchmark.merge ? benchmark.merge(kept.figures, fresh) : fresh;
  const report = benchmark.report(figures);
  const result: Result = {
    benchmark: benchmark.name,
    command: commandLine,
    date: new Date().toISOString(),
    machine: thisMachine(),
    quick,
    figures,
    targets: report.targets,
    pass: report.targets.every(({ met }) => met),
  };
  const writePage = writers.get(benchmark.page) ?? writePerformancePage;
  if (save) for (const file of [saveResult(result), writePage(), writePlots()]) say(`wrote ${relative(".", file)}`);
  process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : `${asText(report)}\n`);
}

function help(): string {
  const width = Math.max(...benchmarks.map(({ name }) => name.length));
  return `Usage: npm run bench -- <name> [options]

${benchmarks.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join("\n")}

  --json       one JSON object on stdout and nothing else there (with npm run -s)
  --save       also keep it in bench/results/ and write its page in docs/ and the plots anew
  --only part  of a benchmark with parts (stores: one store); --save then replaces that part of what was kept
  --rounds n   interleaved rounds, instead of the benchmark's own number
  --quick      a tiny run: shows that everything works; its figures mean nothing
  --help       this text
`;
}
