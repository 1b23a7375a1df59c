import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { MemberReport } from "../../../fleet/report.ts";
import { duration, quantity, visible } from "../format.ts";
import { filtered } from "../rows.ts";
import { type ColumnOf, DataTable } from "./data-table.tsx";
import { FilterBox } from "./filter-box.tsx";
import { StateWord } from "./state-word.tsx";

interface Props {
  readonly members: readonly MemberReport[];
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}

/** All members of a limiter. */
export function MembersTable({ members, filter, onFilter }: Props): JSX.Element {
  const rows = useMemo(() => filtered(members, textOf, filter), [members, filter]);
  const count = rows.length === members.length ? String(rows.length) : `${rows.length} of ${members.length}`;
  return (
    <section aria-label="Members">
      <div class="row">
        <h2>
          Members <span class="dim">{count}</span>
        </h2>
        <FilterBox label="Filter members" value={filter} onChange={onFilter} testId="filter" />
      </div>
      <DataTable
        label="Members"
        testId="members"
        rows={rows}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        firstOrder={{ by: "state", descending: true }}
        empty={members.length === 0 ? "No process is a member now." : "No member has these words."}
        detail={({ id, why }) => (
          <>
            <b>{visible(id)}</b> {visible(why)}
          </>
        )}
      />
    </section>
  );
}

const SEVERITY = { active: 0, idle: 0, silent: 1, fenced: 2 };

const COLUMNS: readonly ColumnOf<MemberReport>[] = [
  { id: "member", title: "Member", sort: ({ id }) => id, cell: ({ id }) => visible(id) },
  {
    id: "state",
    title: "State",
    sort: ({ state }) => SEVERITY[state],
    cell: ({ state }) => <StateWord state={state} />,
  },
  { id: "held", title: "Held", numeric: true, sort: ({ held }) => held, cell: ({ held }) => quantity(held) },
  {
    id: "even",
    title: "Even share",
    numeric: true,
    wide: true,
    sort: ({ evenShare }) => evenShare,
    cell: ({ evenShare }) => quantity(evenShare),
  },
  { id: "used", title: "Used", numeric: true, sort: ({ used }) => used, cell: ({ used }) => quantity(used) },
  {
    id: "waiting",
    title: "Waiting",
    numeric: true,
    sort: ({ waiting }) => waiting,
    cell: ({ waiting }) => quantity(waiting),
  },
  {
    id: "silent",
    title: "Silent",
    numeric: true,
    wide: true,
    sort: ({ silentMs }) => silentMs,
    cell: ({ silentMs }) => duration(silentMs),
  },
  { id: "why", title: "Why this share", wide: true, cell: ({ why }) => visible(why) },
];

function textOf({ id, state, why }: MemberReport): string {
  return `${id} ${state} ${why}`;
}
