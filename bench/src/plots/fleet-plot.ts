import type { FleetFigures } from "../fleet/fleet.ts";
import { figure } from "../report/format.ts";
import { bar } from "./bar.ts";
import type { BarPlot, Panel } from "./bar-plot.ts";

const FLEET: Readonly<Record<string, string>> = {
  demand: "@dt, by demand",
  even: "@dt, even parts",
  pacer: "@dt pacer",
};

/** What ways to share make of one limit, and what they ask of Redis. */
export function fleetPlot({ approaches }: FleetFigures): BarPlot {
  const panel = (title: string, value: (approach: (typeof approaches)[number]) => number, rest: Partial<Panel>) => ({
    title,
    scale: "linear" as const,
    ...rest,
    bars: approaches.map((approach) => {
      const label = FLEET[approach.name] ?? approach.name;
      const shown = rest.end === 100 ? `${value(approach).toFixed(1)} %` : figure(value(approach));
      return bar(label, value(approach), shown);
    }),
  });
  return {
    id: "fleet-use",
    title: "Five processes, one with most of the work",
    description: "How much of the limit a fleet uses, and how many commands each process sends to Redis.",
    panels: [
      panel("Of the limit used (more is better)", ({ used }) => 100 * used, { end: 100 }),
      panel("Commands a second and process (fewer is better)", ({ commandsPerSecond }) => commandsPerSecond ?? 0, {}),
    ],
  };
}
