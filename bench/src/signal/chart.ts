import type { NoisyNeighbour } from "./figures.ts";

const WIDTH = 720;
const BAR = 34;
const GAP = 18;
const LEFT = 150;
const COLOURS = { quiet: "#6b7280", signal: "#0f766e", pause: "#b45309" } as const;

/** p99 of the nine topics three ways, on a scale of powers of ten. */
export function noisyNeighbourChart({ quietP99Ms, signalP99Ms, pauseP99Ms }: NoisyNeighbour): string {
  const bars = [
    { name: "no noise", ms: quietP99Ms, colour: COLOURS.quiet },
    { name: "signal", ms: signalP99Ms, colour: COLOURS.signal },
    { name: "pause only", ms: pauseP99Ms, colour: COLOURS.pause },
  ].flatMap(({ ms, ...bar }) => (ms === null ? [] : [{ ...bar, ms }]));
  const all = bars.map(({ ms }) => Math.log10(ms));
  const [from, to] = [Math.floor(Math.min(...all)), Math.ceil(Math.max(...all) + 0.01)];
  const x = (ms: number): number => LEFT + ((Math.log10(ms) - from) / (to - from)) * (WIDTH - LEFT - 110);
  const height = bars.length * (BAR + GAP) + 60;
  const marks = Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i));
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="15">`,
    "<title>p99 send latency of nine calm topics: without noise, with the signal, with a pause only</title>",
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="12" y="22" font-weight="600">Send latency of nine calm topics beside a noisy one: 99th percentile, ms (log scale)</text>`,
    ...marks.map(
      (ms) =>
        `<line x1="${at(x(ms))}" x2="${at(x(ms))}" y1="36" y2="${height - 24}" stroke="#e5e7eb"/><text x="${at(x(ms))}" y="${height - 8}" text-anchor="middle" font-size="12" fill="#6b7280">${ms}</text>`,
    ),
    ...bars.flatMap(({ name, ms, colour }, i) => {
      const y = 42 + i * (BAR + GAP);
      const middle = y + BAR / 2 + 5;
      return [
        `<text x="${LEFT - 12}" y="${middle}" text-anchor="end">${name}</text>`,
        `<rect x="${LEFT}" y="${y}" width="${at(Math.max(1, x(ms) - LEFT))}" height="${BAR}" fill="${colour}"/>`,
        `<text x="${at(x(ms) + 8)}" y="${middle}">${ms.toPrecision(3)} ms</text>`,
      ];
    }),
    "</svg>",
  ];
  return `${lines.join("\n")}\n`;
}

function at(value: number): string {
  return value.toFixed(1);
}
