import type { Scenario, Series } from "@dt-tooling/simulator/callee";
import { type Axis, linearAxis, logarithmicAxis, spanAxis } from "../plot/axis.ts";
import { type Line, linePlots } from "../plot/line-plots.ts";

/** What happened with one algorithm. */
export interface Shown {
  readonly algorithm: string;
  readonly series: Series;
}

/** Limit and calls in flight, latency, and goodput over time: a column for each algorithm. */
export function plotsOf(scenario: Scenario, seed: number, shown: readonly Shown[]): string {
  const rows: { label: string; lines: (series: Series) => Line[]; fromZero?: boolean }[] = [
    {
      label: "calls",
      lines: ({ limit, inflight }) => [
        { label: "limit", look: "first", values: limit },
        { label: "in flight", look: "second", values: inflight },
      ],
    },
    {
      label: "latency, ms",
      lines: ({ p50Ms, p99Ms, noLoadP99Ms }) => [
        { label: "p50", look: "first", values: p50Ms },
        { label: "p99", look: "second", values: p99Ms },
        { label: "p99 without load", look: "reference", values: noLoadP99Ms },
      ],
    },
    {
      label: "goodput, a second",
      fromZero: true,
      lines: ({ goodput, ideal }) => [
        { label: "answered in time", look: "first", values: goodput },
        { label: "ideal", look: "reference", values: ideal },
      ],
    },
  ];
  return linePlots({
    title: scenario.title,
    subtitle: `Simulated, seed ${seed}. Measured from ${scenario.measured.fromSeconds} to ${scenario.measured.toSeconds} s.`,
    columns: shown.map(({ algorithm }) => algorithm),
    xLabel: "seconds",
    xs: shown[0]?.series.seconds ?? [],
    x: spanAxis(0, scenario.seconds),
    rows: rows.map(({ label, lines, fromZero = false }) => {
      const columns = shown.map(({ series }) => lines(series));
      return { label, columns, y: axisFor(columns, fromZero) };
    }),
  });
}

/** On one linear axis, columns of which one has ten times the values of another show nothing: powers of ten then. */
const TOO_FAR_APART = 10;

function axisFor(columns: readonly (readonly Line[])[], fromZero: boolean): Axis {
  const seen = columns.map((lines) => lines.flatMap(({ values }) => values.filter((value) => value > 0)));
  const highs = seen.filter((values) => values.length > 0).map((values) => Math.max(...values));
  const highest = Math.max(1, ...highs);
  const lows = seen.flat();
  const spread = lows.length === 0 ? 1 : highest / Math.min(...highs);
  if (fromZero || spread < TOO_FAR_APART) return linearAxis(highest);
  return logarithmicAxis(Math.max(Math.min(...lows), highest / 10_000), highest);
}
