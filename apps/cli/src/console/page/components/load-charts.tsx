import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { LimiterKind } from "../../../stores/limiter-kinds.ts";
import type { Frame, LimiterFrame, Mark } from "../../protocol.ts";
import { duration, quantity } from "../format.ts";
import { keysOf, type Lines, latencyOf, limitedKeysOf, usedOf, utilizationOf, waitingOf } from "../lines.ts";
import { LineChart, type Look } from "./line-chart.tsx";
import { LATENCY as LATENCY_LOOKS } from "./looks.ts";

interface Props {
  readonly limiter: LimiterFrame;
  readonly frames: readonly Frame[];
  readonly marks: readonly Mark[];
  readonly look: number;
}

/** One chart: which numbers of a limiter, and how they are drawn. */
interface Load {
  readonly testId: string;
  readonly title: string;
  readonly lines: (frames: readonly Frame[], kind: LimiterKind, name: string) => Lines;
  readonly looks: readonly Look[];
  readonly format: (value: number | null) => string;
}

const AMBER: readonly Look[] = [{ colour: "--limited" }];
const USED: Load = {
  testId: "load-chart",
  title: "Used",
  lines: usedOf,
  looks: [{ colour: "--accent" }, { colour: "--text", dashed: true }],
  format: quantity,
};
const UTILIZATION: Load = {
  testId: "load-chart",
  title: "How far each limit is used",
  lines: utilizationOf,
  looks: ["--accent", "--limited", "--b3", "--b4", "--b5", "--b10"].map((name) => ({ colour: name })),
  format: (value) => (value === null ? "–" : `${Math.round(value)} %`),
};
const WAITING: Load = { testId: "waiting-chart", title: "Waiting", lines: waitingOf, looks: AMBER, format: quantity };
const KEYS: Load = {
  testId: "load-chart",
  title: "Keys in use",
  lines: keysOf,
  looks: [{ colour: "--accent" }],
  format: quantity,
};
const LIMITED_KEYS: Load = {
  testId: "limited-keys-chart",
  title: "Keys with nothing left",
  lines: limitedKeysOf,
  looks: AMBER,
  format: quantity,
};
const LATENCY: Load = {
  testId: "latency-chart",
  title: "Time of an operation of the store",
  lines: latencyOf,
  looks: LATENCY_LOOKS,
  format: duration,
};

function loadsOf({ kind, keys, waiting }: LimiterFrame): readonly Load[] {
  if (keys !== undefined) return [KEYS, LIMITED_KEYS, LATENCY];
  return [kind === "budget" ? UTILIZATION : USED, ...(waiting === undefined ? [] : [WAITING]), LATENCY];
}

/** The load of a limiter, what waits, and how long its store takes. */
export function LoadCharts(props: Props): JSX.Element {
  return (
    <div class="side-by-side">
      {loadsOf(props.limiter).map((load) => (
        <LoadChart key={load.testId} load={load} {...props} />
      ))}
    </div>
  );
}

function LoadChart({ load, limiter, frames, marks, look }: Props & { readonly load: Load }): JSX.Element {
  const { kind, name } = limiter;
  const { testId, title, looks, format } = load;
  const lines = useMemo(() => load.lines(frames, kind, name), [frames, load, kind, name]);
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <LineChart
        testId={testId}
        label={title}
        lines={lines}
        looks={looks}
        height={150}
        format={format}
        marks={load === LATENCY ? NO_MARKS : marks}
        look={look}
      />
    </section>
  );
}

const NO_MARKS: readonly Mark[] = [];
