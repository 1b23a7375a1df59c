import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asMarkdown } from "./report/as-markdown.ts";
import { wrapLines } from "./report/wrap-lines.ts";
import { savedResult } from "./saved-results.ts";
import type { StoreCostFigures } from "./store-costs/figures.ts";
import { storeCosts } from "./store-costs/store-costs.ts";

const page = join(import.meta.dirname, "../../docs/stores.md");
const guide = join(import.meta.dirname, "store-costs/guide.md");

/** The page as it should be: the guide, then what was measured and kept. */
export function storesPage(): string {
  const result = savedResult(storeCosts.name);
  if (result === undefined) throw new Error("no result is kept: run npm run -s bench -- stores --save");
  const figures = result.figures as StoreCostFigures;
  const { cpu, cores, memoryGiB, system, node, v8 } = result.machine;
  const commands = figures.stores.map(({ name, command, date }) => `- ${name}: \`${command}\`, ${date.slice(0, 10)}`);
  return wrapLines(`${readFileSync(guide, "utf8")}
## Figures

This page is written from \`bench/src/store-costs/guide.md\` and \`bench/results/stores.json\`, so do not edit it. \`npm run -s bench -- stores --save\` measures all of it anew. On ${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node} (V8 ${v8}), servers and members together:

${commands.join("\n")}

${asMarkdown(storeCosts.report(figures), 3)}
`);
}

/** The page as it is. */
export function writtenStoresPage(): string {
  return readFileSync(page, "utf8");
}

/** Writes the page; returns its file. */
export function writeStoresPage(): string {
  writeFileSync(page, storesPage());
  return page;
}
