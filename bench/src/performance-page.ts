import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchmarks } from "./registry.ts";
import { asMarkdown } from "./report/as-markdown.ts";
import { wrapLines } from "./report/wrap-lines.ts";
import { type Result, savedResult } from "./saved-results.ts";

const page = join(import.meta.dirname, "../../docs/performance.md");

const opening = `# Performance

Written by \`npm run bench -- <name> --save\` from the results in \`bench/results/\`; do not edit. Compare ratios, not
nanoseconds: those depend on the machine. Benchmarks are in \`bench/\`, one folder each; run them on a machine with
nothing else to do.
`;

/** The page as it should be: every result that was kept, in the order of the registry. */
export function performancePage(): string {
  const sections = benchmarks.flatMap(({ name, summary, report, page }) => {
    const result = savedResult(name);
    return result === undefined || page !== undefined
      ? []
      : [section(name, summary, result, asMarkdown(report(result.figures), 3))];
  });
  return wrapLines([opening, ...sections].join("\n"));
}

/** The page as it is. */
export function writtenPerformancePage(): string {
  return readFileSync(page, "utf8");
}

/** Writes the page; returns its file. */
export function writePerformancePage(): string {
  writeFileSync(page, performancePage());
  return page;
}

function section(name: string, summary: string, { command, date, machine }: Result, body: string): string {
  const { cpu, cores, memoryGiB, system, node, v8 } = machine;
  return `## ${name}: ${summary}

\`${command}\`, ${date.slice(0, 10)}, on ${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node} (V8 ${v8}).

${body}
`;
}
