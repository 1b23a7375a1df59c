import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asMarkdown } from "./report/as-markdown.ts";
import { wrapLines } from "./report/wrap-lines.ts";
import { savedResult } from "./saved-results.ts";
import { noisyNeighbourChart } from "./signal/chart.ts";
import type { SignalFigures } from "./signal/figures.ts";
import { signal } from "./signal/signal.ts";

const docs = join(import.meta.dirname, "../../docs");
const guide = join(import.meta.dirname, "signal/guide.md");

/** The page and its chart as they should be: the guide, then what was measured and kept. By file name. */
export function signalPage(): Readonly<Record<"signal.md" | "signal.svg", string>> {
  const result = savedResult(signal.name);
  if (result === undefined) throw new Error("no result is kept: run npm run -s bench -- signal --save");
  const figures = result.figures as SignalFigures;
  const { cpu, cores, memoryGiB, system, node, v8 } = result.machine;
  const page = wrapLines(`${readFileSync(guide, "utf8")}
## Measured

Written from \`bench/results/signal.json\`. \`npm run -s bench -- signal --save\` measures all of it anew, \`--only noisy-neighbour\` (or \`accuracy\`, \`memory\`, \`throughput\`) one part. ${result.date.slice(0, 10)}, on ${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node} (V8 ${v8}). Clients and server ran on one machine. Its load when each part began: ${loads(figures)}.

${asMarkdown(signal.report(figures), 3)}
`);
  return { "signal.md": page, "signal.svg": figures.noisyNeighbour ? noisyNeighbourChart(figures.noisyNeighbour) : "" };
}

/** The page and its chart as they are. */
export function writtenSignalPage(): Readonly<Record<string, string>> {
  return Object.fromEntries(["signal.md", "signal.svg"].map((name) => [name, readFileSync(join(docs, name), "utf8")]));
}

/** Writes both; returns the page's file. */
export function writeSignalPage(): string {
  for (const [name, text] of Object.entries(signalPage())) writeFileSync(join(docs, name), text);
  return join(docs, "signal.md");
}

function loads({ load = {} }: SignalFigures): string {
  return Object.entries(load)
    .map(([part, value]) => `${part} ${value.toFixed(1)}`)
    .join(", ");
}
