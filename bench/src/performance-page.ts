import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performanceGuide } from "./performance-guide.ts";
import { benchmarks } from "./registry.ts";
import { asMarkdown } from "./report/as-markdown.ts";
import { wrapLines } from "./report/wrap-lines.ts";
import { type Result, savedResult } from "./saved-results.ts";

const page = join(import.meta.dirname, "../../docs/performance.md");

/** The page as it should be: the guide, then every result that was kept, in the order of the registry. */
export function performancePage(): string {
  const sections = benchmarks.flatMap(({ name, summary, report, page }) => {
    const result = savedResult(name);
    return result === undefined || page !== undefined
      ? []
      : [section(name, summary, result, asMarkdown(report(result.figures), 3))];
  });
  return wrapLines([performanceGuide(), ...sections].join("\n"));
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
