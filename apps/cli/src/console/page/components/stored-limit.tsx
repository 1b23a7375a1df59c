import type { LimitHistoryEntry, LimitRecord } from "@dt/core";
import type { JSX } from "preact";
import type { LimiterKind } from "../../../stores/limiter-kinds.ts";
import type { Api } from "../api.ts";
import { dateAndTime, valuesOf, visible } from "../format.ts";
import { LimitForm } from "./limit-form.tsx";

interface Props {
  readonly kind: LimiterKind;
  readonly name: string;
  /** Undefined: the store has no limit of it. */
  readonly record: LimitRecord | undefined;
  readonly writes: boolean;
  readonly api: Api;
}

/** The limit in the store: what counts, who changed it and why, and where it may be changed, a form. */
export function StoredLimit({ kind, name, record, writes, api }: Props): JSX.Element {
  return (
    <section aria-label="Limit in the store">
      <h2>Limit in the store</h2>
      <p data-testid="stored-limit">{sentenceOf(record)}</p>
      {writes && <LimitForm kind={kind} name={name} hasLimit={record?.inForce === true} api={api} />}
      {record !== undefined && record.history.length > 0 && <History entries={record.history} />}
    </section>
  );
}

function sentenceOf(record: LimitRecord | undefined): string {
  if (record === undefined) return "The store has no limit of it: the value in the code counts.";
  if (!record.inForce) return "The limit in the store was removed, or its time is over: the value in the code counts.";
  const until = record.untilMs === undefined ? "for good" : `until ${dateAndTime(record.untilMs)}`;
  return `${visible(valuesOf(record.values))}, ${until}.`;
}

function History({ entries }: { readonly entries: readonly LimitHistoryEntry[] }): JSX.Element {
  return (
    <div class="table">
      <table class="history" data-testid="history" aria-label="Changes of the limit">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Who</th>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">Until</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ atMs, by, from, to, untilMs, why }) => (
            <tr key={`${atMs} ${by} ${valuesOf(to)}`}>
              <th scope="row">{dateAndTime(atMs)}</th>
              <td>{visible(by)}</td>
              <td>{visible(valuesOf(from))}</td>
              <td>{visible(valuesOf(to))}</td>
              <td>{untilMs === undefined ? "" : dateAndTime(untilMs)}</td>
              <td class="why">{visible(why ?? "")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
