import type { KeysFigures } from "../keys/keys.ts";
import { figure } from "../report/format.ts";
import { median } from "../statistics.ts";
import { bar } from "./bar.ts";
import type { BarPlot, Panel } from "./bar-plot.ts";

/** Decisions about many keys, in two ways. */
export function keyedPlot({ approaches }: KeysFigures): BarPlot {
  const loaded = (
    of: (part: KeysFigures["approaches"][number]["rounds"][number]["parts"]["loaded"]) => number | null,
  ) =>
    approaches.map(({ name, rounds }) => {
      const value = median(rounds.flatMap(({ parts }) => of(parts.loaded) ?? [])) ?? 0;
      return { name, value };
    });
  const panel = (title: string, unit: string, of: Parameters<typeof loaded>[0]): Panel => ({
    title,
    scale: "linear",
    bars: loaded(of).map(({ name, value }) => bar(name, value, `${figure(value)}${unit}`)),
  });
  return {
    id: "keyed-decisions",
    title: "A limit for each of 10,000 tenants",
    description: "How many commands to Redis a decision needs, and how long it takes, in two ways.",
    panels: [
      panel(
        "Commands to Redis for each decision (fewer is better)",
        "",
        ({ commandsPerDecision }) => commandsPerDecision,
      ),
      panel("A decision about a tenant with few calls takes, median", " ms", ({ othersMs }) => othersMs?.[0] ?? null),
      panel("The same, for a tenant with many calls", " ms", ({ hotMs }) => hotMs?.[0] ?? null),
    ],
  };
}
