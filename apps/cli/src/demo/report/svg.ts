import { linearAxis, spanAxis } from "../../plot/axis.ts";
import { type Line, linePlots, type PlotRow } from "../../plot/line-plots.ts";
import type { RateSeries } from "../measure/rate.ts";
import type { DemoResult } from "../measure/verdict.ts";

/** How many points the curves have. */
export const SVG_POINTS = 300;

/** The rate over time as an SVG document: of all workers beside the server's limit, and of each worker below. */
export function svg({ seconds, byWorker, total, rejected }: RateSeries, result: DemoResult): string {
  const { max, workers, changes, worstSlidingSecond, rejected429, maxGrantedPerEpoch, limit, utilisation } = result;
  const row = (label: string, highest: number, ...lines: Line[]): PlotRow => {
    return { label, y: linearAxis(highest), columns: [lines] };
  };
  const seen = (values: readonly number[]): Line => ({ label: "requests in the second before", look: "first", values });
  const highest = Math.max(...[...byWorker.values()].flat());
  const became = new Map(changes.map(({ change, worker, atSeconds }) => [worker, `: ${change} after ${atSeconds} s`]));
  return linePlots({
    title: `${workers} processes share ${max} requests/s`,
    subtitle: `${result.pass ? "Passed" : "Failed"}: worst sliding second ${worstSlidingSecond}, ${rejected429} × 429, at most ${maxGrantedPerEpoch} of ${limit} tokens in an epoch, utilisation ${(100 * utilisation).toFixed(1)} %`,
    columns: ["as the server saw it"],
    xLabel: "seconds",
    xs: seconds,
    x: spanAxis(0, result.seconds),
    plotWidth: 700,
    rows: [
      row(
        "all workers",
        Math.max(1.2 * max, ...total),
        seen(total),
        { label: "429s", look: "second", values: rejected },
        { label: "limit", look: "reference", values: seconds.map(() => max) },
      ),
      ...[...byWorker].map(([worker, rates]) =>
        row(`worker ${worker}${became.get(worker) ?? ""}`, highest, seen(rates)),
      ),
    ],
  });
}
