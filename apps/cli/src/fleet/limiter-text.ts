import { recordText } from "../stores/limit-text.ts";
import { percent, plural, rateText, timeText, unitsText } from "./amounts.ts";
import { nameText } from "./name-text.ts";
import type { KeyReport, KeysReport, LimiterReport, LimitReport, MemberReport } from "./report.ts";
import { type Sort, sortMembers } from "./sort.ts";
import { type Column, oneLine, table } from "./table.ts";

/** All that there is to tell of one limiter. */
export function limiterText(limiter: LimiterReport, sort: Sort): readonly string[] {
  const { kind, name, state, findings, limits, members, keys, stored } = limiter;
  const parts: readonly (readonly string[])[] = [
    [
      `${kind} ${nameText(name)}: ${state}`,
      ...findings.map((finding) => oneLine(`  ${finding.state.padEnd(9)}  ${finding.text}`)),
      ...facts(limiter).map((fact) => `  ${fact}`),
    ],
    limits.length > 0 ? table(LIMITS, limits) : [],
    stored
      ? recordText({ kind, name }, stored.inForce ? stored.values : undefined, stored)
          .trimEnd()
          .split("\n")
      : [],
    members && members.length > 0 ? table(MEMBERS, sortMembers(members, sort)) : [],
    keys ? keyLines(keys) : [],
  ];
  return parts.filter(({ length }) => length > 0).flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]));
}

/** What has no column. */
function facts({ terms, reservedForMs, open, waiting, kind }: LimiterReport): readonly string[] {
  return [
    ...(reservedForMs === undefined ? [] : [reserved(reservedForMs)]),
    ...(kind === "pacer" && waiting !== undefined ? [`${plural(waiting, "request")} in the queue.`] : []),
    ...(open === undefined ? [] : [`${plural(open, "lease")} not settled.`]),
    ...(terms === undefined ? [] : [`Its users agree on ${JSON.stringify(terms)}.`]),
  ];
}

function reserved(forMs: number): string {
  return forMs > 0 ? `Reserved for ${timeText(forMs)} from now.` : "Nothing is reserved from now on.";
}

const LIMITS: readonly Column<LimitReport>[] = [
  { title: "limit", align: "left", cell: ({ name }) => nameText(name) },
  { title: "max", align: "right", cell: ({ max, windowMs }) => rateText(max, windowMs) },
  { title: "used", align: "right", cell: ({ used }) => amount(used) },
  { title: "kept free", align: "right", cell: ({ margin }) => (margin === undefined ? "" : unitsText(margin)) },
  { title: "utilization", align: "right", cell: ({ utilization }) => percent(utilization) },
  { title: "", align: "left", cell: ({ binds }) => (binds ? "binds" : "") },
];

const MEMBERS: readonly Column<MemberReport>[] = [
  { title: "member", align: "left", cell: ({ id }) => nameText(id) },
  { title: "holds", align: "right", cell: ({ held }) => unitsText(held) },
  { title: "even part", align: "right", cell: ({ evenShare }) => unitsText(evenShare) },
  { title: "wants", align: "right", cell: ({ want }) => (want === null ? "" : unitsText(want)) },
  { title: "used", align: "right", cell: ({ used }) => amount(used) },
  { title: "waiting", align: "right", cell: ({ waiting }) => amount(waiting) },
  { title: "limit", align: "right", cell: ({ max }) => (max === null ? "stored" : unitsText(max)) },
  { title: "silent for", align: "right", cell: ({ silentMs }) => timeText(silentMs) },
  { title: "state", align: "left", cell: ({ state }) => state },
  { title: "why", align: "left", cell: ({ why }) => why },
];

const KEYS: readonly Column<KeyReport>[] = [
  { title: "key", align: "left", cell: ({ key }) => nameText(key) },
  { title: "limit", align: "right", cell: ({ max, windowMs }) => rateText(max, windowMs) },
  { title: "left", align: "right", cell: ({ remaining }) => unitsText(remaining) },
  { title: "burst", align: "right", cell: ({ burst }) => unitsText(burst) },
  { title: "in hand", align: "right", cell: ({ held }) => (held > 0 ? unitsText(held) : "") },
  {
    title: "in flight",
    align: "right",
    cell: ({ inFlight, concurrent: of }) => (of === null ? "" : `${inFlight} of ${of}`),
  },
  { title: "utilization", align: "right", cell: ({ utilization }) => percent(utilization) },
  { title: "full again in", align: "right", cell: ({ resetMs }) => timeText(resetMs) },
];

function keyLines({ count, read, limited, busiest }: KeysReport): readonly string[] {
  const some = read < count ? `, ${read.toLocaleString("en-US")} of them were looked at` : "";
  const first = busiest.length < read ? `; the ${busiest.length} busiest:` : ":";
  const head = `${plural(count, "key")}${some}, nothing is left of ${limited}${busiest.length > 0 ? first : "."}`;
  return busiest.length > 0 ? [head, ...table(KEYS, busiest)] : [head];
}

function amount(units: number | null): string {
  return units === null ? "-" : unitsText(units);
}
