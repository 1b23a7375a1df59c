import { linearAxis, spanAxis } from "../../plot/axis.ts";
import { type Line, linePlots, type PlotRow } from "../../plot/line-plots.ts";
import type { RateSeries } from "../measure/rate.ts";
import type { ServerView } from "../measure/server-view.ts";
import type { DemoResult } from "../measure/verdict.ts";

/** How many points the curves have: few kilobytes, and two for each second by default. */
export const SVG_POINTS = 60;

/** The two fleets above each other on the same axes, as an SVG document. */
export function svg(shared: RateSeries, parts: RateSeries, result: DemoResult): string {
  const { max, workers, seconds, changes, fixedParts, machine, date } = result;
  const y = linearAxis(Math.max(1.3 * max, 1.1 * result.worstSlidingSecond, 1.1 * fixedParts.worstSlidingSecond));
  const part = `each process keeps to its own ${fixedParts.part} a second`;
  return linePlots({
    title: `${workers} processes, one limit of ${max} calls a second; one joins, one is killed, one leaves`,
    subtitle: `dt demo, ${seconds} s on ${machine}, ${date}. Calls in a second, as the server counted them.`,
    description: [
      `Calls a second over ${seconds} seconds, as the server counted them, of two fleets of ${workers} processes.`,
      `Sharing one limit with @dt: ${counted(result)}.`,
      `Without, ${part}: ${counted(fixedParts)}.`,
    ].join(" "),
    columns: [""],
    xLabel: "seconds",
    xs: shared.seconds,
    x: spanAxis(0, seconds),
    plotWidth: 720,
    legend: "once",
    events: changes.map(({ change, atSeconds }) => ({ at: atSeconds, label: EVENTS[change] })),
    rows: [
      row(`Sharing the limit with @dt: ${counted(result)}`, shared, result, max, y),
      row(`Without, ${part}: ${counted(fixedParts)}`, parts, fixedParts, max, y),
    ],
  });
}

const EVENTS = { join: "a process joins", kill: "one is killed", leave: "one leaves" };

function counted({ worstSlidingSecond, served, rejected429 }: ServerView): string {
  return `at most ${worstSlidingSecond} calls in any second, ${rejected429} of ${served + rejected429} refused`;
}

function row(label: string, series: RateSeries, view: ServerView, max: number, y: PlotRow["y"]): PlotRow {
  const { seconds, total, refused, byWorker } = series;
  const peak = total.indexOf(Math.max(...total));
  // The calls of the first process, of the first two, and so on: the last sum is the total.
  const sums = [...byWorker.values()]
    .slice(0, -1)
    .map((_, index, all) =>
      total.map((_, point) => all.slice(0, index + 1).reduce((sum, calls) => sum + (calls[point] as number), 0)),
    );
  const lines: Line[] = [
    { label: "the limit", look: "reference", values: total.map(() => max) },
    ...sums.map((values): Line => ({ label: "of one process", look: "part", values })),
    { label: "all calls", look: "first", values: total, filledAbove: max },
    { label: "refused (429)", look: "second", values: refused },
  ];
  return {
    label,
    y,
    columns: [lines],
    notes: [{ x: seconds[peak] ?? 0, y: view.worstSlidingSecond, text: String(view.worstSlidingSecond) }],
  };
}
