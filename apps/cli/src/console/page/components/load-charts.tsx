import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Frame, LimiterFrame, Mark } from "../../protocol.ts";
import { duration, quantity } from "../format.ts";
import { keysOf, type Lines, latencyOf, loadOf, utilizationOf } from "../lines.ts";
import { LineChart, type Look } from "./line-chart.tsx";
import { LATENCY } from "./looks.ts";

interface Props {
  readonly limiter: LimiterFrame;
  readonly frames: readonly Frame[];
  readonly marks: readonly Mark[];
  readonly look: number;
}

/** Which numbers a kind of limiter has over time, and how they are drawn. */
interface Load {
  readonly title: string;
  readonly lines: (frames: readonly Frame[], limiter: LimiterFrame) => Lines;
  readonly looks: readonly Look[];
  readonly format: (value: number | null) => string;
}

const ONE_LIMIT: Load = {
  title: "Used and waiting",
  lines: (frames, { kind, name }) => loadOf(frames, kind, name),
  looks: [{ colour: "--accent" }, { colour: "--limited" }, { colour: "--text", dashed: true }],
  format: quantity,
};
const SEVERAL_LIMITS: Load = {
  title: "How far each limit is used",
  lines: (frames, { kind, name }) => utilizationOf(frames, kind, name),
  looks: ["--accent", "--limited", "--b3", "--b4", "--b7", "--b10"].map((name) => ({ colour: name })),
  format: (value) => (value === null ? "–" : `${Math.round(value)} %`),
};
const KEYS: Load = {
  title: "Keys in use, and keys with nothing left",
  lines: (frames, { kind, name }) => keysOf(frames, kind, name),
  looks: [{ colour: "--accent" }, { colour: "--limited" }],
  format: quantity,
};

const NO_MARKS: readonly Mark[] = [];

/** The load of a limiter, and how long its store takes. */
export function LoadCharts({ limiter, frames, marks, look }: Props): JSX.Element {
  const load = limiter.keys !== undefined ? KEYS : limiter.kind === "budget" ? SEVERAL_LIMITS : ONE_LIMIT;
  const { kind, name } = limiter;
  const lines = useMemo(() => load.lines(frames, limiter), [frames, load, kind, name]);
  const latency = useMemo(() => latencyOf(frames), [frames]);
  return (
    <div class="pair">
      <section aria-label={load.title}>
        <h2>{load.title}</h2>
        <LineChart
          testId="load-chart"
          label={load.title}
          lines={lines}
          looks={load.looks}
          height={160}
          format={load.format}
          marks={marks}
          look={look}
        />
      </section>
      <section aria-label="Latency of the store">
        <h2>
          How long the store takes <span class="dim">for one operation</span>
        </h2>
        <LineChart
          testId="latency-chart"
          label="Latency of the store"
          lines={latency}
          looks={LATENCY}
          height={160}
          format={duration}
          marks={NO_MARKS}
          look={look}
        />
      </section>
    </div>
  );
}
