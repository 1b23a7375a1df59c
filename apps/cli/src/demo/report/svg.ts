import type { RateSeries } from "../measure/rate.ts";
import type { DemoResult } from "../measure/result.ts";

const WIDTH = 900;
const HEIGHT = 400;
const PLOT = { left: 56, top: 80, right: 150, bottom: 44 } as const;
const PLOT_WIDTH = WIDTH - PLOT.left - PLOT.right;
const PLOT_HEIGHT = HEIGHT - PLOT.top - PLOT.bottom;
/** Okabe and Ito's palette: told apart also by people who do not see all colours. */
const COLOURS = ["#0072b2", "#56b4e9", "#009e73", "#e69f00", "#cc79a7", "#f0e442"];
const REJECTED = "#d55e00";

/** How many points the curves have. */
export const SVG_POINTS = 300;

/**
 * The rate over time as an SVG document: each worker's part, stacked; the server's limit; refused requests; the
 * changes.
 */
export function svg(series: RateSeries, result: DemoResult): string {
  const top = Math.max(1.2 * result.max, 1.05 * Math.max(...series.total));
  const x = (seconds: number): number => round(PLOT.left + (PLOT_WIDTH * seconds) / result.seconds);
  const y = (rate: number): number => round(PLOT.top + PLOT_HEIGHT * (1 - rate / top));
  const worked = [...series.byWorker.keys()];
  const parts = [
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(PLOT.left, 26, title(result), 'font-size="16" font-weight="600"'),
    text(PLOT.left, 46, "Requests in the second before each point, as the server saw them.", 'fill="#555555"'),
    text(PLOT.left, 63, verdict(result), 'fill="#555555"'),
    ...ticks(top).map(
      (rate) =>
        `<line x1="${PLOT.left}" x2="${PLOT.left + PLOT_WIDTH}" y1="${y(rate)}" y2="${y(rate)}" stroke="#e5e5e5"/>` +
        text(PLOT.left - 8, y(rate) + 4, String(rate), 'text-anchor="end" fill="#555555"'),
    ),
    ...areas(series, x, y),
    ...(result.rejected429 === 0 ? [] : [rejections(series, x, y)]),
    `<line x1="${PLOT.left}" x2="${PLOT.left + PLOT_WIDTH}" y1="${y(result.max)}" y2="${y(result.max)}" stroke="#000000" stroke-dasharray="6 4"/>`,
    ...result.changes.map(
      ({ change, worker, atSeconds }) =>
        `<line x1="${x(atSeconds)}" x2="${x(atSeconds)}" y1="${PLOT.top}" y2="${PLOT.top + PLOT_HEIGHT}" stroke="#000000" stroke-opacity="0.5"/>` +
        text(x(atSeconds) + 4, PLOT.top + 12, `${change} (worker ${worker})`),
    ),
    ...[0, 0.25, 0.5, 0.75, 1].map((part) =>
      text(
        x(part * result.seconds),
        PLOT.top + PLOT_HEIGHT + 18,
        `${round(part * result.seconds)} s`,
        'text-anchor="middle" fill="#555555"',
      ),
    ),
    ...legend(worked, result.max),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${escaped(title(result))}">`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

type Scale = (value: number) => number;

/** From the bottom up: each worker's requests on top of those of the workers before it. */
function areas({ seconds, byWorker }: RateSeries, x: Scale, y: Scale): string[] {
  let below = seconds.map(() => 0);
  return [...byWorker].map(([worker, rates]) => {
    const above = rates.map((rate, index) => rate + (below[index] as number));
    const upper = points(seconds, above, x, y);
    const lower = points([...seconds].reverse(), [...below].reverse(), x, y);
    below = above;
    return `<polygon fill="${colour(worker)}" points="${upper} ${lower}"><title>worker ${worker}</title></polygon>`;
  });
}

function rejections({ seconds, rejected }: RateSeries, x: Scale, y: Scale): string {
  return `<polyline fill="none" stroke="${REJECTED}" stroke-width="2" points="${points(seconds, rejected, x, y)}"/>`;
}

function legend(workers: readonly number[], max: number): string[] {
  const left = PLOT.left + PLOT_WIDTH + 16;
  const entries = [
    ...workers.map((worker) => ({ colour: colour(worker), label: `worker ${worker}` })),
    { colour: REJECTED, label: "429s" },
    { colour: "#000000", label: `limit: ${max}/s` },
  ];
  return entries.map(({ colour: fill, label }, index) => {
    const top = PLOT.top + 20 * index;
    return `<rect x="${left}" y="${top}" width="12" height="12" fill="${fill}"/>${text(left + 18, top + 10, label)}`;
  });
}

function title({ max, workers }: DemoResult): string {
  return `${workers} processes share ${max} requests/s`;
}

function verdict(result: DemoResult): string {
  const { worstSlidingSecond, rejected429, maxGrantedPerEpoch, limit, utilisation, pass } = result;
  return [
    `${pass ? "Passed" : "Failed"}: worst sliding second ${worstSlidingSecond}`,
    `${rejected429} × 429`,
    `at most ${maxGrantedPerEpoch} of ${limit} tokens in an epoch`,
    `utilisation ${(100 * utilisation).toFixed(1)} %`,
  ].join(", ");
}

/** Round numbers from 0 to `top`, four to eight of them. */
function ticks(top: number): number[] {
  const rough = top / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, Math.ceil(([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) as number) * power));
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => index * step);
}

function points(xs: readonly number[], ys: readonly number[], x: Scale, y: Scale): string {
  return xs.map((value, index) => `${x(value)},${y(ys[index] as number)}`).join(" ");
}

function text(x: number, y: number, content: string, attributes = ""): string {
  return `<text x="${x}" y="${y}"${attributes === "" ? "" : ` ${attributes}`}>${escaped(content)}</text>`;
}

function colour(worker: number): string {
  return COLOURS[(worker - 1) % COLOURS.length] as string;
}

function escaped(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function round(value: number): number {
  return Math.round(100 * value) / 100;
}
