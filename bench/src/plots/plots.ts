import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { savedResult } from "../saved-results.ts";
import { barPlot } from "./bar-plot.ts";
import { budgetPlot } from "./budget-plot.ts";
import { fleetPlot } from "./fleet-plot.ts";
import { grantPlot } from "./grant-plot.ts";
import { keyedPlot } from "./keyed-plot.ts";
import { storesPlot } from "./stores-plot.ts";

const folder = join(import.meta.dirname, "../../../docs/plots");

/** The plots as they should be, drawn from the results that were kept. By file name. */
export function plots(): Readonly<Record<string, string>> {
  const all = [
    grantPlot(figuresOf("hot-path")),
    fleetPlot(figuresOf("fleet")),
    budgetPlot(figuresOf("budgets")),
    keyedPlot(figuresOf("keys")),
    storesPlot(figuresOf("stores")),
  ];
  return Object.fromEntries(all.map((plot) => [`${plot.id}.svg`, barPlot(plot)]));
}

/** The plots as they are. */
export function writtenPlots(): Readonly<Record<string, string>> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Writes all plots, and removes those that are no more; returns the folder. */
export function writePlots(): string {
  const made = plots();
  for (const name of Object.keys(writtenPlots())) if (!(name in made)) rmSync(join(folder, name));
  for (const [name, plot] of Object.entries(made)) writeFileSync(join(folder, name), plot);
  return folder;
}

/** The figures of a benchmark, as they were kept. */
export function figuresOf<Figures extends object>(benchmark: string): Figures {
  const result = savedResult(benchmark);
  if (result === undefined) throw new Error(`no result is kept: run npm run -s bench -- ${benchmark} --save`);
  return result.figures as Figures;
}
