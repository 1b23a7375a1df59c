/** A moving picture of a fleet over some seconds: who has which tokens, and what happened. */
export interface Timeline {
  /** The file's name without its end. Every id and animation begins with it, since pages show several pictures. */
  readonly id: string;
  readonly title: string;
  /** What the coloured area shows, under the title. */
  readonly subtitle: string;
  readonly max: number;
  readonly seconds: number;
  /** The processes, in the order in which they are stacked. */
  readonly names: readonly string[];
  /** Tokens by process, from a time until the next slice. In order. */
  readonly slices: readonly Slice[];
  /** Tokens of this process are drawn as lost from this time on. */
  readonly lost?: { readonly process: number; readonly fromMs: number };
  readonly spans: readonly Span[];
  readonly tables: readonly Table[];
  readonly steps: readonly Step[];
}

export interface Slice {
  readonly atMs: number;
  readonly tokens: readonly number[];
}

/** A time that a rule gives, below the area. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly label: string;
}

/** A number for each second, in rows. */
export interface Table {
  readonly label: string;
  readonly rows: readonly { readonly label: string; readonly cells: readonly number[] }[];
}

/** What happens at a time, in a sentence or two. */
export interface Step {
  readonly atMs: number;
  readonly text: string;
}

/** Narrow, so that the text can be read on a phone. */
const WIDTH = 440;
const LEFT = 42;
const RIGHT = 430;
const AREA = { top: 106, height: 120 } as const;
const ROW = 21;
const LINE = 19;
const CHARACTERS = 55;
/** One turn of the picture, and the part of it in which the time passes. */
const TURN_S = 12;
const MOVING = 0.75;

/** The picture as an SVG document: light and dark, moving, and complete where it stands still. Pure. */
export function timelineSvg(timeline: Timeline): string {
  const { id, title, subtitle, seconds } = timeline;
  const x = (ms: number): number => LEFT + ((RIGHT - LEFT) * ms) / 1_000 / seconds;
  const bottom = AREA.top + AREA.height;
  const spans = spansPart(timeline, x, bottom + 6);
  const axis = axisPart(seconds, x, spans.bottom + 14);
  const tables = tablesPart(timeline, x, axis.bottom);
  const steps = stepsPart(timeline, tables.bottom + 24);
  const height = steps.bottom + 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="dt-figure" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<desc>${escaped(timeline.steps.map(({ atMs, text }) => `At ${shown(atMs)}: ${text}`).join(" "))}</desc>`,
    `<style>${style(timeline, x)}\n</style>`,
    `<defs><pattern id="${id}-lost" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="lost" width="6" height="6"/><rect class="stripe" width="2.5" height="6"/></pattern></defs>`,
    `<rect class="ground" width="${WIDTH}" height="${height}" rx="8"/>`,
    `<text x="10" y="25" class="title">${escaped(title)}</text>`,
    `<text x="10" y="47" class="dim">${escaped(subtitle)}</text>`,
    ...legend(timeline),
    ...areaPart(timeline, x),
    ...spans.parts,
    ...axis.parts,
    ...tables.parts,
    ...marksPart(timeline, x),
    `<line class="head" x1="${LEFT}" x2="${LEFT}" y1="${AREA.top - 6}" y2="${tables.bottom}"/>`,
    ...steps.parts,
    "</svg>",
    "",
  ].join("\n");
}

function style({ id, seconds, steps }: Timeline, x: (ms: number) => number): string {
  const at = (ms: number): string => `${tidy((ms / 1_000 / seconds) * MOVING * 100)}%`;
  const second = (index: number): string => `
  .e${index} { transform-origin: ${tidy(x(index * 1_000))}px 0; animation-name: ${id}-e${index} }
  @keyframes ${id}-e${index} { 0%, ${at(index * 1_000)} { transform: scaleX(0) } ${at((index + 1) * 1_000)}, 100% { transform: none } }
  .n${index} { animation-name: ${id}-n${index} }
  @keyframes ${id}-n${index} { 0%, ${at((index + 0.9) * 1_000)} { opacity: 0 } ${at((index + 1) * 1_000)}, 100% { opacity: 1 } }`;
  const step = ({ atMs }: Step, index: number): string => `
  .s${index} { animation-name: ${id}-s${index} }
  @keyframes ${id}-s${index} { 0%, ${at(atMs)} { opacity: 0.45 } ${at(atMs + 300)}, 100% { opacity: 1 } }`;
  return `
  svg { font: 14px system-ui, sans-serif }
  .ground { fill: #ffffff } text { fill: #1f2328 } .dim { fill: #59636e } .title { font-size: 16px; font-weight: 600 }
  .p0 { fill: #0072b2 } .p1 { fill: #e69f00 } .p2 { fill: #009e73 } .lost { fill: #009e73; opacity: 0.35 } .stripe { fill: #009e73 }
  .free { fill: none; stroke: #59636e; stroke-dasharray: 3 3 } .limit { stroke: #b42318; stroke-width: 2 } .grid { stroke: #d1d9e0 }
  .cell { text-anchor: middle; font-variant-numeric: tabular-nums } .end { text-anchor: end } .sum { font-weight: 600 }
  .mark { fill: #1f2328 } .digit { fill: #ffffff; font-size: 12px; font-weight: 600; text-anchor: middle } .lead { stroke: #1f2328 }
  .span { stroke: #59636e; stroke-width: 1.5; fill: none } .head { stroke: #b42318; stroke-width: 1.5; opacity: 0 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } text { fill: #e6edf3 } .dim { fill: #9198a1 }
    .p0 { fill: #56b4e9 } .p1 { fill: #f0b93e } .p2 { fill: #3fb98f } .lost { fill: #3fb98f; opacity: 0.35 } .stripe { fill: #3fb98f }
    .free { stroke: #9198a1 } .limit { stroke: #ff7b72 } .grid { stroke: #30363d }
    .mark { fill: #e6edf3 } .digit { fill: #0d1117 } .lead { stroke: #e6edf3 } .span { stroke: #9198a1 } .head { stroke: #ff7b72 }
  }
  .move { animation-duration: ${TURN_S}s; animation-timing-function: linear; animation-iteration-count: infinite }
  .head { animation: ${id}-head ${TURN_S}s linear infinite }
  @keyframes ${id}-head { 0% { transform: none; opacity: 1 } ${tidy(MOVING * 100)}% { transform: translateX(${RIGHT - LEFT}px); opacity: 1 } ${tidy(MOVING * 100 + 2)}%, 100% { transform: translateX(${RIGHT - LEFT}px); opacity: 0 } }${Array.from({ length: seconds }, (_, index) => second(index)).join("")}${steps.map(step).join("")}
  @media (prefers-reduced-motion: reduce) { .move, .head { animation: none } }`;
}

function legend({ names, lost }: Timeline): string[] {
  const entries = [
    ...names.map((name, place) => ({ name, box: `<rect class="p${place}"`, of: "/>" })),
    { name: "free", box: '<rect class="free"', of: "/>" },
  ];
  const parts = entries.map(
    ({ name, box, of }, place) =>
      `${box} x="${tidy(10 + place * 52 + 0.5)}" y="59.5" width="12" height="12"${of}<text x="${27 + place * 52}" y="71">${name}</text>`,
  );
  const [lostX] = [10 + entries.length * 52 + 16];
  return lost === undefined
    ? parts
    : [
        ...parts,
        `<rect class="lost" x="${lostX}" y="59" width="13" height="13"/><text x="${lostX + 18}" y="71">held, but not used</text>`,
      ];
}

function areaPart({ id, max, seconds, names, slices, lost }: Timeline, x: (ms: number) => number): string[] {
  const bottom = AREA.top + AREA.height;
  const y = (tokens: number): number => bottom - (AREA.height * tokens) / max;
  const parts = [
    `<text class="end" x="${LEFT - 6}" y="${AREA.top + 5}">${max}</text><text class="end" x="${LEFT - 6}" y="${bottom}">0</text>`,
    `<rect class="free" x="${LEFT}" y="${AREA.top}" width="${RIGHT - LEFT}" height="${AREA.height}"/>`,
  ];
  for (let second = 0; second < seconds; second++) {
    const rects = within(slices, second * 1_000, (second + 1) * 1_000, lost?.fromMs).flatMap(
      ({ fromMs, toMs, tokens }) => {
        let below = 0;
        return names.flatMap((_, process) => {
          const own = tokens[process] ?? 0;
          const top = y(below + own);
          const height = y(below) - top;
          below += own;
          if (own === 0) return [];
          const isLost = lost?.process === process && fromMs >= lost.fromMs;
          const fill = isLost ? `fill="url(#${id}-lost)"` : `class="p${process}"`;
          const gap = toMs === (second + 1) * 1_000 ? 1 : 0;
          return `<rect ${fill} x="${tidy(x(fromMs))}" y="${tidy(top)}" width="${tidy(x(toMs) - x(fromMs) - gap)}" height="${tidy(height)}"/>`;
        });
      },
    );
    parts.push(`<g class="move e${second}">${rects.join("")}</g>`);
  }
  return [...parts, `<line class="limit" x1="${LEFT}" x2="${RIGHT}" y1="${AREA.top}" y2="${AREA.top}"/>`];
}

/** What of the slices lies in a second, cut at one more time. */
function within(slices: readonly Slice[], fromMs: number, toMs: number, cutMs = Number.NaN) {
  const cuts = [fromMs, ...slices.map(({ atMs }) => atMs), cutMs].filter((ms) => ms >= fromMs && ms < toMs);
  const starts = [...new Set(cuts)].sort((one, other) => one - other);
  return starts.map((start, index) => ({
    fromMs: start,
    toMs: starts[index + 1] ?? toMs,
    tokens: slices.findLast(({ atMs }) => atMs <= start)?.tokens ?? [],
  }));
}

function spansPart({ spans }: Timeline, x: (ms: number) => number, top: number) {
  const parts = spans.map(({ fromMs, toMs, label }, index) => {
    const y = top + 8 + index * 26;
    const [from, to] = [tidy(x(fromMs)), tidy(x(toMs))];
    return `<path class="span" d="M${from},${y - 5}V${y + 5}M${from},${y}H${to}M${to},${y - 5}V${y + 5}"/><text class="dim" x="${tidy((from + to) / 2)}" y="${y + 15}" text-anchor="middle">${escaped(label)}</text>`;
  });
  return { parts, bottom: top + spans.length * 26 };
}

function axisPart(seconds: number, x: (ms: number) => number, y: number) {
  const marks = Array.from({ length: seconds }, (_, second) => second).filter((second) => second % 2 === 0);
  return {
    parts: [
      `<text class="dim end" x="${LEFT - 8}" y="${y}">s</text>`,
      ...marks.map(
        (second) => `<text class="dim cell" x="${tidy(x((second + 0.5) * 1_000))}" y="${y}">${second}</text>`,
      ),
    ],
    bottom: y + 6,
  };
}

function tablesPart({ tables, names }: Timeline, x: (ms: number) => number, top: number) {
  const parts: string[] = [];
  let y = top;
  for (const { label, rows } of tables) {
    parts.push(
      `<line class="grid" x1="10" x2="${RIGHT}" y1="${y}" y2="${y}"/><text class="dim" x="10" y="${y + 17}">${escaped(label)}</text>`,
    );
    y += 21;
    for (const { label: name, cells } of rows) {
      const place = names.indexOf(name);
      const look = place < 0 ? " sum" : "";
      const box = place < 0 ? "" : `<rect class="p${place}" x="10" y="${y + 3}" width="12" height="12"/>`;
      parts.push(
        `${box}<text class="${look.trim() || "name"}" x="${place < 0 ? 10 : 27}" y="${y + 14}">${name}</text>`,
        ...cells.map(
          (tokens, second) =>
            `<text class="move n${second} cell${look}" x="${tidy(x((second + 0.5) * 1_000))}" y="${y + 14}">${tokens}</text>`,
        ),
      );
      y += ROW;
    }
    y += 4;
  }
  return { parts, bottom: y };
}

function marksPart({ steps }: Timeline, x: (ms: number) => number): string[] {
  let before = 0;
  return steps.map(({ atMs }, index) => {
    const to = x(atMs);
    const at = Math.max(to, before + 21, LEFT + 9);
    before = at;
    const y = AREA.top - 17;
    return `<g class="move s${index}"><path class="lead" fill="none" d="M${tidy(at)},${y}L${tidy(to)},${AREA.top}V${AREA.top + AREA.height}" stroke-dasharray="2 3"/><circle class="mark" cx="${tidy(at)}" cy="${y}" r="9"/><text class="digit" x="${tidy(at)}" y="${y + 4}">${index + 1}</text></g>`;
  });
}

function stepsPart({ steps }: Timeline, top: number) {
  const parts: string[] = [];
  let y = top;
  for (const [index, { atMs, text }] of steps.entries()) {
    const lines = wrapped(`${shown(atMs)}: ${text}`);
    const words = lines.map((line, place) => `<text x="34" y="${y + place * LINE}">${escaped(line)}</text>`);
    parts.push(
      `<g class="move s${index}"><circle class="mark" cx="19" cy="${y - 5}" r="9"/><text class="digit" x="19" y="${y - 1}">${index + 1}</text>${words.join("")}</g>`,
    );
    y += lines.length * LINE + 6;
  }
  return { parts, bottom: y - 8 };
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < CHARACTERS) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A time as people write it. */
export function shown(ms: number): string {
  return `${tidy(Math.round(ms / 100) / 10)} s`;
}

const tidy = (value: number): number => Number(value.toFixed(2));

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
