import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Mark } from "../../protocol.ts";
import type { Column } from "../bands.ts";
import { drawMarks, type MarkColours } from "../draw-marks.ts";
import { timeOfDay, visible } from "../format.ts";
import { type PlacedMarks, placed, textsOf } from "../marks.ts";
import { colour } from "../theme.ts";

/** A line of the tooltip. */
export interface TipLine {
  readonly text: string;
  /** A custom property of the stylesheet. */
  readonly colour?: string;
}

interface Props {
  /** What the chart shows, for those who do not see it. */
  readonly label: string;
  readonly testId: string;
  readonly times: readonly number[];
  readonly columns: readonly Column[];
  /** How the columns are drawn. Not read again while `structure` stays. */
  readonly series: () => uPlot.Series[];
  readonly bands?: () => uPlot.Band[];
  /** Another text makes the chart anew: other series, other colours. */
  readonly structure: string;
  readonly height: number;
  readonly format: (value: number) => string;
  readonly marks: readonly Mark[];
  /** What the tooltip says of a time, by its index. */
  readonly tip: (index: number) => readonly TipLine[];
}

/** The least time that a chart shows, in seconds. */
const SHORTEST = 60;

/** Marks are together where they are nearer than this, in pixels. */
const MARK_WIDTH = 6;

/** One chart over the last minutes. It is made once, and then only given new numbers. */
export function Chart(props: Props): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const latest = useRef<Latest>({ props, placed: [] });
  latest.current.props = props;
  const { times, columns, structure, height, marks } = props;

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const chart = new uPlot(optionsOf(latest.current, element.clientWidth), dataOf(latest.current.props), element);
    plot.current = chart;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0 && element.clientWidth !== chart.width)
        chart.setSize({ width: element.clientWidth, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = undefined;
    };
  }, [structure, height]);
  useEffect(() => {
    const chart = plot.current;
    if (chart === undefined) return;
    const [from, to] = spanOf(times[0] ?? 0, times.at(-1) ?? 0);
    latest.current.placed = placed(marks, (MARK_WIDTH * (to - from) * uPlot.pxRatio) / Math.max(1, chart.bbox.width));
    // New numbers, and the time moves on: its scale is worked out anew.
    chart.setData(dataOf(latest.current.props));
  }, [times, columns, marks, structure]);

  return <div class="chart" ref={box} role="img" aria-label={props.label} data-testid={props.testId} />;
}

interface Latest {
  props: Props;
  placed: readonly PlacedMarks[];
}

function dataOf({ times, columns }: Props): uPlot.AlignedData {
  return [times, ...columns] as uPlot.AlignedData;
}

function optionsOf(latest: Latest, width: number): uPlot.Options {
  const { props } = latest;
  const [text, grid] = [colour("--dim"), colour("--grid")];
  const font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const axis = { stroke: text, font, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
  const bands = props.bands?.();
  return {
    width: Math.max(width, 100),
    height: props.height,
    padding: [16, 26, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: true, range: (_plot, from, to) => spanOf(from, to) },
      y: { range: (_plot, _from, to) => [0, to > 0 ? to * 1.05 : 1] },
    },
    axes: [
      {
        ...axis,
        size: 22,
        space: (_plot, _axis, _from, _to, width) => (width > 500 ? 90 : 44),
        values: (_plot, splits) => timesOf(splits),
      },
      { ...axis, size: 52, space: 30, values: (_plot, splits) => splits.map((value) => props.format(value)) },
    ],
    series: [{}, ...props.series()],
    ...(bands !== undefined && { bands }),
    plugins: [marksPlugin(latest, markColours()), tipPlugin(latest)],
  };
}

/** The time that is shown: to the last frame, from as long ago as is known. */
function spanOf(from: number, to: number): [number, number] {
  if (!Number.isFinite(to)) return [0, SHORTEST];
  return [Math.min(from, to - SHORTEST), to];
}

/** Times of day, without seconds where they are whole minutes. */
function timesOf(splits: readonly number[]): string[] {
  const length = splits.every((time) => time % 60 === 0) ? "14:03".length : undefined;
  return splits.map((time) => timeOfDay(time * 1_000).slice(0, length));
}

function markColours(): MarkColours {
  return { calm: colour("--mark"), alarming: colour("--attention"), paper: colour("--panel") };
}

function marksPlugin(latest: Latest, colours: MarkColours): uPlot.Plugin {
  return { hooks: { draw: (plot) => drawMarks(plot, latest.placed, colours, uPlot.pxRatio) } };
}

/** A box beside the cursor, filled with text nodes alone: names come from the store. */
function tipPlugin(latest: Latest): uPlot.Plugin {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  const show = (plot: uPlot): void => {
    const { left = -1, idx } = plot.cursor;
    tip.hidden = left < 0 || idx === null || idx === undefined;
    if (tip.hidden) return;
    const index = idx as number;
    const time = document.createElement("b");
    time.textContent = timeOfDay((plot.data[0][index] ?? 0) * 1_000);
    const near = latest.placed.filter((mark) => Math.abs(plot.valToPos(mark.time, "x") - left) <= MARK_WIDTH);
    const lines = textsOf(
      near.flatMap(({ marks }) => marks),
      4,
    ).map((text) => ({ text: visible(text) }));
    tip.replaceChildren(time, ...latest.props.tip(index).map(lineOf), ...lines.map(lineOf));
    const { clientWidth } = plot.over;
    const isRight = left > clientWidth / 2;
    tip.style.left = isRight ? "" : `${left + 12}px`;
    tip.style.right = isRight ? `${clientWidth - left + 12}px` : "";
  };
  return { hooks: { ready: (plot) => plot.over.append(tip), setCursor: show, setData: show } };
}

function lineOf({ text, colour: property }: TipLine): HTMLElement {
  const line = document.createElement("span");
  if (property !== undefined) {
    const swatch = document.createElement("i");
    swatch.style.background = `var(${property})`;
    line.append(swatch);
  }
  line.append(text);
  return line;
}
