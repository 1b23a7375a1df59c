import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { type Frame, KEPT_FRAMES, type LimiterFrame, type Mark } from "../../protocol.ts";
import { type Band, BandHistory, type Bands, type Column, withoutOthers } from "../bands.ts";
import { counted, quantity, visible } from "../format.ts";
import { ALARMING, SIGNS } from "../marks.ts";
import { colour } from "../theme.ts";
import { Chart, type TipLine } from "./chart.tsx";
import { steps } from "./steps.ts";

interface Props {
  readonly limiter: LimiterFrame;
  readonly frames: readonly Frame[];
  readonly marks: readonly Mark[];
  readonly look: number;
}

/** What each member held over the last minutes: bands on each other, the limit as a line. */
export function SharesChart({ limiter, frames, marks, look }: Props): JSX.Element {
  const { kind, name, members } = limiter;
  const history = useRef<BandHistory>(undefined);
  history.current ??= new BandHistory(kind, name, KEPT_FRAMES);
  const all = history.current.of(frames);
  const others = members?.rest;
  // Few members of very many would be a hem at the bottom.
  const [withOthers, setWithOthers] = useState(() => (others?.held ?? 0) <= MOST_OF_OTHERS * heldBy(members));
  const bands = useMemo(() => (withOthers ? all : withoutOthers(all)), [all, withOthers]);
  // From the top down: each is drawn over the one above it.
  const columns = useMemo<Column[]>(() => [...bands.edges.toReversed(), bands.capacity], [bands]);
  const shown = bands.bands.toReversed();
  const structure = `${look} ${shown.map((band) => `${band.colour} ${band.id}`).join("\n")}`;
  const count = members?.count ?? 0;
  return (
    <>
      {(others?.count ?? 0) > 0 && (
        <label class="choice">
          <input
            type="checkbox"
            checked={withOthers}
            onChange={(event) => setWithOthers(event.currentTarget.checked)}
            data-testid="others"
          />
          with the other {quantity(others?.count)} members, which hold {quantity(others?.held)} together, and the limit
        </label>
      )}
      <Chart
        testId="shares-chart"
        label={`Shares of ${counted(count, "member")} over the last minutes; the table of members has the numbers`}
        times={bands.times}
        columns={columns}
        series={() => [...shown.map(seriesOf), capacitySeries()]}
        bands={() => shown.slice(1).map((band, i) => ({ series: [i + 1, i + 2], fill: fillOf(shown[i] ?? band) }))}
        structure={structure}
        height={260}
        format={quantity}
        marks={marks}
        tip={(index) => tipOf(bands, index)}
      />
      <Legend shown={shown} limiter={limiter} withLimit={withOthers} signs={signsOf(marks)} />
    </>
  );
}

/** The others are drawn at first where they hold at most this part of it all. */
const MOST_OF_OTHERS = 0.75;

function heldBy(members: LimiterFrame["members"]): number {
  return members === undefined ? 0 : members.shown.reduce((sum, { held }) => sum + held, members.rest.held);
}

interface LegendProps {
  readonly shown: readonly Band[];
  readonly limiter: LimiterFrame;
  readonly withLimit: boolean;
  readonly signs: readonly Mark["what"][];
}

/** The kinds of events that are on the chart. */
function signsOf(marks: readonly Mark[]): readonly Mark["what"][] {
  return [...new Set(marks.map(({ what }) => what))];
}

function Legend({ shown, limiter, withLimit, signs }: LegendProps): JSX.Element {
  const { rest, shown: drawnNow = [] } = limiter.members ?? {};
  // A member that left, or is among the others now, is still drawn for as long as it can be seen.
  const now = new Set(drawnNow.map(({ id }) => id));
  return (
    <ul class="legend" aria-label="Members that are drawn" data-testid="band-legend">
      {shown.map(({ id, colour: number, held }) => {
        if (id === undefined && (rest?.count ?? 0) === 0) return null;
        return (
          <li key={id ?? " rest"}>
            <i class={`swatch b${number}`} aria-hidden="true" />
            <span class="name">{nameOf(id, rest?.count)}</span>{" "}
            <b>{id === undefined || now.has(id) ? quantity(held.at(-1)) : "–"}</b>
          </li>
        );
      })}
      {withLimit && (
        <li>
          <i class="swatch swatch-line" aria-hidden="true" />
          limit <b>{quantity(limiter.limits[0]?.max)}</b>
        </li>
      )}
      {signs.map((what) => (
        <li key={what} class={ALARMING.has(what) ? "alarming" : undefined}>
          <i class="sign-of" aria-hidden="true">
            {SIGNS[what]}
          </i>
          {what}
        </li>
      ))}
    </ul>
  );
}

function nameOf(id: string | undefined, rest = 0): string {
  return id === undefined ? `the other ${quantity(rest)}` : visible(id);
}

function tipOf({ bands, capacity }: Bands, index: number): TipLine[] {
  const lines = bands.toReversed().map(({ id, held, colour: number }) => ({ id, number, value: held[index] ?? null }));
  return [
    ...(typeof capacity[index] === "number" ? [{ text: `limit ${quantity(capacity[index])}` }] : []),
    ...lines
      .filter(({ value }) => value !== null && value > 0)
      .map(({ id, number, value }) => ({
        text: `${id === undefined ? "the others" : visible(id)} ${quantity(value)}`,
        colour: `--b${number}`,
      })),
  ];
}

function seriesOf(band: Band, _i: number, all: readonly Band[]): uPlot.Series {
  const isLowest = band === all.at(-1);
  return {
    // A thin band stays to be seen.
    stroke: fillOf(band),
    width: 1,
    paths: steps(),
    points: { show: false },
    // The lowest one ends at the axis, the others at the one below.
    ...(isLowest && { fill: fillOf(band) }),
  };
}

function capacitySeries(): uPlot.Series {
  return { stroke: colour("--text"), width: 1.5, dash: [6, 4], paths: steps(), points: { show: false } };
}

function fillOf(band: Band): string {
  return colour(`--b${band.colour}`);
}
