import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { LimiterFrame, Mark } from "../../protocol.ts";
import { counted, duration, limitOf, percent, quantity, visible } from "../format.ts";
import { limiterText, shownLimit } from "../limiter.ts";
import { latencyOf } from "../lines.ts";
import { hashOf } from "../route.ts";
import { filtered } from "../rows.ts";
import type { Model } from "../state.ts";
import { Bar } from "./bar.tsx";
import { type ColumnOf, DataTable } from "./data-table.tsx";
import { FilterBox } from "./filter-box.tsx";
import { LineChart } from "./line-chart.tsx";
import { LATENCY } from "./looks.ts";
import { StateWord } from "./state-word.tsx";
import { Verdict } from "./verdict.tsx";

const NO_MARKS: readonly Mark[] = [];

/** All limiters, and what matters most. */
export function FleetView({ model, look }: { readonly model: Model; readonly look: number }): JSX.Element | null {
  const [filter, setFilter] = useState("");
  const frame = model.frames.at(-1);
  const latency = useMemo(() => latencyOf(model.frames), [model.frames]);
  const rows = useMemo(() => filtered(frame?.limiters ?? [], limiterText, filter), [frame, filter]);
  if (frame === undefined) return <p class="empty">The first look at the store is under way.</p>;
  if (frame.limiters.length === 0) return frame.error === undefined ? <NoLimiters /> : null;
  return (
    <>
      <Verdict state={frame.state} text={frame.verdict} />
      <section aria-label="Limiters">
        <div class="row">
          <h2>
            Limiters <span class="dim">{countText(rows.length, frame.limiters.length)}</span>
          </h2>
          <FilterBox label="Filter limiters" value={filter} onChange={setFilter} testId="filter" />
        </div>
        <DataTable
          label="Limiters"
          testId="limiters"
          rows={rows}
          columns={COLUMNS}
          keyOf={({ kind, name }) => `${kind} ${name}`}
          hrefOf={hashOf}
          firstOrder={{ by: "state", descending: true }}
          empty="No limiter has these words."
        />
        {frame.more > 0 && (
          <p class="detail" data-testid="more">
            {counted(frame.more, "limiter is", "limiters are")} left out, the calm ones. <code>dt status</code> shows
            them all.
          </p>
        )}
      </section>
      <section aria-label="Store">
        <h2>Time of an operation of the store</h2>
        <LineChart
          label="Time of an operation of the store"
          testId="latency-chart"
          lines={latency}
          looks={LATENCY}
          height={120}
          format={duration}
          marks={NO_MARKS}
          look={look}
        />
      </section>
    </>
  );
}

const SEVERITY = { ok: 0, limited: 1, attention: 2 };

const COLUMNS: readonly ColumnOf<LimiterFrame>[] = [
  { id: "name", title: "Name", sort: ({ name }) => name, cell: ({ name }) => visible(name) },
  { id: "kind", title: "Kind", wide: true, sort: ({ kind }) => kind, cell: ({ kind }) => kind },
  {
    id: "state",
    title: "State",
    sort: ({ state }) => SEVERITY[state],
    cell: ({ state }) => <StateWord state={state} />,
  },
  {
    id: "limit",
    title: "Limit",
    numeric: true,
    wide: true,
    sort: (limiter) => shownLimit(limiter)?.max,
    cell: (limiter) => {
      const limit = shownLimit(limiter);
      if (limit === undefined) return limiter.keys === undefined ? "–" : "by key";
      return limiter.limits.length > 1 ? `${visible(limit.name)} ${limitOf(limit)}` : limitOf(limit);
    },
  },
  {
    id: "used",
    title: "Used",
    numeric: true,
    sort: (limiter) => shownLimit(limiter)?.utilization,
    cell: (limiter) => <Used limiter={limiter} />,
  },
  {
    id: "members",
    title: "Members",
    numeric: true,
    wide: true,
    sort: ({ members }) => members?.count,
    cell: ({ members }) => quantity(members?.count),
  },
  {
    id: "waiting",
    title: "Waiting",
    numeric: true,
    sort: ({ waiting }) => waiting,
    cell: ({ waiting }) => quantity(waiting),
  },
  {
    id: "finding",
    title: "What limits it",
    wide: true,
    cell: ({ findings, error }) => visible(error?.message ?? findings[0]?.text ?? ""),
  },
];

function Used({ limiter }: { readonly limiter: LimiterFrame }): JSX.Element {
  const { keys } = limiter;
  if (keys !== undefined)
    return (
      <>
        <Bar part={keys.read === 0 ? 0 : keys.limited / keys.read} />
        {quantity(keys.limited)} <span class="wide">of {quantity(keys.count)}</span>
      </>
    );
  const limit = shownLimit(limiter);
  return (
    <>
      <Bar part={limit?.utilization ?? null} full={limit?.binds === true} />
      <span class="part">{percent(limit?.utilization)}</span>
    </>
  );
}

function NoLimiters(): JSX.Element {
  return (
    <section class="notice" data-testid="no-limiters">
      <h2>No limiters yet</h2>
      <p>The store answers, and keeps nothing of a limiter. A limiter appears here when its first process starts:</p>
      <pre>
        <code>{`const throttle = createThrottle({ store, name: "payments", rate: "200/s" });
await throttle.start();`}</code>
      </pre>
      <p>Is it the right store? Its address is above; a prefix of keys or a schema is part of it.</p>
    </section>
  );
}

function countText(shown: number, all: number): string {
  return shown === all ? String(all) : `${shown} of ${all}`;
}
