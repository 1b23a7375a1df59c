import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Mark } from "../../protocol.ts";
import { visible } from "../format.ts";
import type { Lines } from "../lines.ts";
import { colour } from "../theme.ts";
import { Chart } from "./chart.tsx";
import { steps } from "./steps.ts";

/** How a line looks. */
export interface Look {
  /** A custom property of the stylesheet. */
  readonly colour: string;
  readonly dashed?: boolean;
}

interface Props {
  readonly label: string;
  readonly testId?: string;
  readonly lines: Lines;
  readonly looks: readonly Look[];
  readonly height: number;
  readonly format: (value: number | null) => string;
  readonly marks: readonly Mark[];
  readonly look: number;
}

const PLAIN: Look = { colour: "--dim" };

/** Lines over the last minutes, with their last values. */
export function LineChart(props: Props): JSX.Element {
  const { label, testId = "line-chart", lines, looks, height, format, marks, look } = props;
  const columns = useMemo(() => lines.lines.map(({ values }) => values), [lines]);
  const lookOf = (i: number): Look => looks[i % Math.max(1, looks.length)] ?? PLAIN;
  return (
    <>
      <Chart
        testId={testId}
        label={label}
        times={lines.times}
        columns={columns}
        series={() =>
          lines.lines.map((_line, i) => ({
            stroke: colour(lookOf(i).colour),
            width: 1.5,
            paths: steps(),
            points: { show: false },
            ...(lookOf(i).dashed && { dash: [4, 4] }),
          }))
        }
        structure={`${look} ${lines.lines.map(({ name }) => name).join("\n")}`}
        height={height}
        format={format}
        marks={marks}
        tip={(index) =>
          lines.lines.map(({ name, values }, i) => ({
            text: `${visible(name)} ${format(values[index] ?? null)}`,
            colour: lookOf(i).colour,
          }))
        }
      />
      <ul class="legend" aria-label={`${label}: last values`}>
        {lines.lines.map(({ name, values }, i) => (
          <li key={name}>
            <i
              class={lookOf(i).dashed ? "swatch swatch-line" : "swatch swatch-solid"}
              style={{ borderColor: `var(${lookOf(i).colour})` }}
              aria-hidden="true"
            />
            <span class="name">{visible(name)}</span> <b>{format(values.at(-1) ?? null)}</b>
          </li>
        ))}
      </ul>
    </>
  );
}
