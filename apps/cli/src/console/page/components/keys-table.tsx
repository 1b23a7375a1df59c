import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { KeyReport, KeysReport } from "../../../fleet/report.ts";
import { limitOf, percent, quantity, visible } from "../format.ts";
import { filtered } from "../rows.ts";
import { Bar } from "./bar.tsx";
import { type ColumnOf, DataTable } from "./data-table.tsx";
import { FilterBox } from "./filter-box.tsx";

/** The busiest keys of a keyed limit, the busiest first. */
export function KeysTable({ keys }: { readonly keys: KeysReport }): JSX.Element {
  const [filter, setFilter] = useState("");
  const rows = useMemo(() => filtered(keys.busiest, ({ key }) => key, filter), [keys, filter]);
  return (
    <section aria-label="Keys">
      <div class="row">
        <h2>
          Keys <span class="dim">{countOf(keys, rows.length)}</span>
        </h2>
        <FilterBox label="Filter keys" value={filter} onChange={setFilter} testId="filter" />
      </div>
      <DataTable
        label="Keys"
        testId="keys"
        rows={rows}
        columns={COLUMNS}
        keyOf={({ key }) => key}
        empty={keys.busiest.length === 0 ? "No key is in use." : "No key that was read has these words."}
      />
    </section>
  );
}

/** Of how many keys this is; the store counts more than are read. */
function countOf({ count, read, busiest }: KeysReport, shown: number): string {
  const parts = [
    shown < busiest.length ? `${shown} of ${busiest.length}` : `the ${busiest.length.toLocaleString("en-US")} busiest`,
  ];
  parts.push(`${count.toLocaleString("en-US")} in use`);
  if (read < count) parts.push(`${read.toLocaleString("en-US")} were read`);
  return parts.join(" · ");
}

const COLUMNS: readonly ColumnOf<KeyReport>[] = [
  { id: "key", title: "Key", sort: ({ key }) => key, cell: ({ key }) => visible(key) },
  {
    id: "utilization",
    title: "Used",
    numeric: true,
    sort: ({ utilization }) => utilization,
    cell: ({ utilization }) => (
      <>
        <Bar part={utilization} /> <span class="part">{percent(utilization)}</span>
      </>
    ),
  },
  {
    id: "remaining",
    title: "Left",
    numeric: true,
    sort: ({ remaining }) => remaining,
    cell: ({ remaining }) => quantity(remaining),
  },
  { id: "limit", title: "Limit", numeric: true, sort: ({ max }) => max, cell: limitOf },
  {
    id: "burst",
    title: "Burst",
    numeric: true,
    wide: true,
    sort: ({ burst }) => burst,
    cell: ({ burst }) => quantity(burst),
  },
  {
    id: "held",
    title: "In hand",
    numeric: true,
    wide: true,
    sort: ({ held }) => held,
    cell: ({ held }) => quantity(held),
  },
  {
    id: "flight",
    title: "In flight",
    numeric: true,
    wide: true,
    sort: ({ inFlight }) => inFlight,
    cell: ({ inFlight, concurrent }) => (concurrent === null ? quantity(inFlight) : `${inFlight} of ${concurrent}`),
  },
];
