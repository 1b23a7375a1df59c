import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Finding, LimiterReport } from "../../../fleet/report.ts";
import type { LimiterKind } from "../../../stores/limiter-kinds.ts";
import type { LimiterFrame } from "../../protocol.ts";
import type { Api } from "../api.ts";
import { duration, limitOf, percent, quantity, visible } from "../format.ts";
import { shownLimit } from "../limiter.ts";
import { limiterIn, type Model, marksOf } from "../state.ts";
import { KeysTable } from "./keys-table.tsx";
import { LimitsTable } from "./limits-table.tsx";
import { LoadCharts } from "./load-charts.tsx";
import { MarksList } from "./marks-list.tsx";
import { MembersTable } from "./members-table.tsx";
import { memo } from "./memo.ts";
import { SharesChart } from "./shares-chart.tsx";
import { StateWord } from "./state-word.tsx";
import { StoredLimit } from "./stored-limit.tsx";
import { useReport } from "./use-report.ts";

interface Props {
  readonly model: Model;
  readonly kind: LimiterKind;
  readonly name: string;
  readonly api: Api;
  readonly look: number;
}

// Drawn again with what they show: frames and reports come at different times.
const [Shares, Load, Members, Keys, Marks] = [
  memo(SharesChart),
  memo(LoadCharts),
  memo(MembersTable),
  memo(KeysTable),
  memo(MarksList),
];

/** One limiter: what limits it now, its last minutes, its members or keys, and its limit in the store. */
export function LimiterView({ model, kind, name, api, look }: Props): JSX.Element {
  const frame = model.frames.at(-1);
  const marks = useMemo(() => marksOf(model.marks, kind, name), [model.marks, kind, name]);
  const { report, error } = useReport(api, kind, name, model.connection === "live" ? frame?.atMs : undefined);
  const [member, setMember] = useState("");
  const limiter =
    limiterIn(frame, kind, name) ?? (report !== undefined && error === undefined ? ofReport(report) : undefined);
  const findings =
    (report?.findings.length ?? 0) > (limiter?.findings.length ?? 0) ? report?.findings : limiter?.findings;
  return (
    <>
      <div class="title">
        <a href="#/" class="back">
          ← Fleet
        </a>
        <h2 data-testid="limiter-name">
          <span class="dim">{kind}</span> {visible(name)}
        </h2>
        {limiter !== undefined && <StateWord state={limiter.state} />}
      </div>
      {limiter === undefined ? (
        <p class="notice" data-testid="limiter-gone">
          The store keeps nothing of this {kind} now. Its last process has left, or it has another name.
        </p>
      ) : (
        limiter.error === undefined && <Facts limiter={limiter} />
      )}
      {limiter !== undefined && <Findings limiter={limiter} findings={findings ?? []} onMember={setMember} />}
      {limiter !== undefined && limiter.limits.length > 1 && <LimitsTable limits={limiter.limits} />}
      {limiter?.members !== undefined && (
        <section aria-label="Shares">
          <h2>
            Shares <span class="dim">of the members over the last minutes</span>
          </h2>
          <Shares limiter={limiter} frames={model.frames} marks={marks} look={look} />
        </section>
      )}
      {limiter !== undefined && <Load limiter={limiter} frames={model.frames} marks={marks} look={look} />}
      {error !== undefined && model.connection === "live" && limiter !== undefined && (
        <p class="notice notice-attention" role="alert" data-testid="report-error">
          The members and keys could not be read: {visible(error)}
        </p>
      )}
      {report?.members !== undefined && <Members members={report.members} filter={member} onFilter={setMember} />}
      {report?.keys !== undefined && <Keys keys={report.keys} />}
      {(report?.stored !== undefined || model.console?.writes === true) && (
        <StoredLimit
          kind={kind}
          name={name}
          record={report?.stored}
          writes={model.console?.writes === true}
          api={api}
        />
      )}
      <section aria-label="Events of this limiter">
        <h2>
          Events <span class="dim">{marks.length}</span>
        </h2>
        <Marks marks={marks} most={50} />
      </section>
    </>
  );
}

/** Of a limiter that the frames leave out, since there are so many. */
function ofReport({ members: _members, stored, ...report }: LimiterReport): LimiterFrame {
  return { ...report, stored: stored !== undefined };
}

function Facts({ limiter }: { readonly limiter: LimiterFrame }): JSX.Element {
  const { members, keys, waiting, pausedForMs, stored } = limiter;
  const limit = shownLimit(limiter);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["limit", limit && `${limitOf(limit)}${limiter.limits.length > 1 ? ` ${visible(limit.name)}` : ""}`],
    ["used", limit && (limit.used === null ? "–" : `${quantity(limit.used)} · ${percent(limit.utilization)}`)],
    ["keys", keys && quantity(keys.count)],
    ["keys with nothing left", keys && quantity(keys.limited)],
    ["members", members && quantity(members.count)],
    ["waiting", waiting === undefined ? undefined : quantity(waiting)],
    ["paused for", pausedForMs > 0 ? duration(pausedForMs) : undefined],
    ["limit lives in", stored ? "the store" : "the code"],
  ];
  return (
    <dl class="facts" data-testid="facts">
      {facts.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

interface FindingsProps {
  readonly limiter: LimiterFrame;
  /** A frame has the most important ones alone. */
  readonly findings: readonly Finding[];
  readonly onMember: (id: string) => void;
}

function Findings({ limiter: { error }, findings: all, onMember }: FindingsProps): JSX.Element {
  // That it is damaged is said once.
  const findings = error === undefined ? all : all.filter(({ code }) => code !== "damaged");
  return (
    <section aria-label="What limits now">
      <h2>What limits now</h2>
      {error !== undefined && (
        <p class="notice notice-attention" data-testid="limiter-error">
          It could not be read: {visible(error.message)} <code>{visible(error.code)}</code>
        </p>
      )}
      {findings.length === 0 && error === undefined && (
        <p class="dim" data-testid="no-findings">
          Nothing.
        </p>
      )}
      <ul class="findings" data-testid="findings">
        {findings.map((finding) => (
          <FindingRow key={`${finding.code} ${finding.member} ${finding.text}`} finding={finding} onMember={onMember} />
        ))}
      </ul>
    </section>
  );
}

interface FindingProps {
  readonly finding: Finding;
  readonly onMember: (id: string) => void;
}

function FindingRow({ finding: { state, text, member }, onMember }: FindingProps): JSX.Element {
  return (
    <li>
      <StateWord state={state} />
      <span>{visible(text)}</span>
      {member !== undefined && (
        <button type="button" class="link" onClick={() => onMember(member)}>
          show the member
        </button>
      )}
    </li>
  );
}
