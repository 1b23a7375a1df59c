import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Mark } from "../../protocol.ts";
import { filtered } from "../rows.ts";
import type { Model } from "../state.ts";
import { FilterBox } from "./filter-box.tsx";
import { MarksList } from "./marks-list.tsx";

/** What happened to all limiters. */
export function EventsView({ model: { marks } }: { readonly model: Model }): JSX.Element {
  const [filter, setFilter] = useState("");
  const shown = useMemo(() => filtered(marks, textOf, filter), [marks, filter]);
  return (
    <section aria-label="Events">
      <div class="row">
        <h2>
          Events{" "}
          <span class="dim">{shown.length === marks.length ? marks.length : `${shown.length} of ${marks.length}`}</span>
        </h2>
        <FilterBox label="Filter events" value={filter} onChange={setFilter} testId="filter" />
      </div>
      {marks.length > 0 && shown.length === 0 ? (
        <p class="dim">No event has these words.</p>
      ) : (
        <MarksList marks={shown} most={200} named />
      )}
    </section>
  );
}

function textOf({ kind, name, what, text }: Mark): string {
  return `${kind} ${name} ${what} ${text}`;
}
