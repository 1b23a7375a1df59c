import { percent, plural, rateText, unitsText } from "./amounts.ts";
import { limiterText } from "./limiter-text.ts";
import { nameText } from "./name-text.ts";
import type { FleetReport, LimiterReport, LimitReport } from "./report.ts";
import { type Sort, sortLimiters } from "./sort.ts";
import { type Column, oneLine, table } from "./table.ts";

/** Findings below the table. The others are shown with their limiters: `dt status <store> <name>`. */
const MOST_FINDINGS = 20;

/**
 * A report for people: the verdict, then a table of all limiters, or of one name all that there is to tell.
 * @param isOne true where one name was asked for
 */
export function statusText(report: FleetReport, sort: Sort, isOne: boolean): string {
  const limiters = sortLimiters(report.limiters, sort);
  const parts: (readonly string[])[] = [[oneLine(report.verdict)]];
  if (isOne) parts.push(...limiters.map((limiter) => limiterText(limiter, sort)));
  else if (limiters.length > 0) parts.push(overview(limiters), findingLines(limiters));
  return `${parts
    .filter(({ length }) => length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

/** One limit of a limiter: a budget has a row for each. */
interface Row {
  readonly limiter: LimiterReport;
  readonly limit: LimitReport | undefined;
  readonly isFirst: boolean;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: "kind", align: "left", cell: ({ limiter }) => limiter.kind },
  { title: "name", align: "left", cell: ({ limiter }) => nameText(limiter.name) },
  { title: "limit", align: "right", cell: limitCell },
  { title: "used", align: "right", cell: usedCell },
  { title: "utilization", align: "right", cell: ({ limit }) => percent(limit?.utilization ?? null) },
  { title: "members", align: "right", cell: ({ limiter, isFirst }) => (isFirst ? membersCell(limiter) : "") },
  {
    title: "waiting",
    align: "right",
    cell: ({ limiter, isFirst }) => (isFirst ? (limiter.waiting?.toLocaleString("en-US") ?? "-") : ""),
  },
  { title: "state", align: "left", cell: ({ limiter, isFirst }) => (isFirst ? limiter.state : "") },
];

function overview(limiters: readonly LimiterReport[]): readonly string[] {
  const rows = limiters.flatMap((limiter): Row[] => {
    const limits = limiter.limits.length === 0 ? [undefined] : limiter.limits;
    return limits.map((limit, at) => ({ limiter, limit, isFirst: at === 0 }));
  });
  return table(COLUMNS, rows);
}

function limitCell({ limiter, limit }: Row): string {
  if (limit === undefined) return "-";
  const text = rateText(limit.max, limit.windowMs);
  return limiter.kind === "budget" ? `${nameText(limit.name)} ${text}` : text;
}

function usedCell({ limiter, limit }: Row): string {
  const { keys } = limiter;
  if (keys) return keys.limited > 0 ? plural(keys.limited, "key") : "-";
  return limit === undefined || limit.used === null ? "-" : unitsText(limit.used);
}

function membersCell({ members, keys }: LimiterReport): string {
  if (keys) return plural(keys.count, "key");
  return members === undefined ? "-" : members.length.toLocaleString("en-US");
}

/** What is more than a number of the table. */
function findingLines(limiters: readonly LimiterReport[]): readonly string[] {
  const all = limiters.flatMap(({ kind, name, findings }) =>
    findings
      .filter(({ state }) => state !== "ok")
      .map(({ state, text }) => ({ state, who: `${kind} ${nameText(name)}`, text })),
  );
  const lines = all
    .slice(0, MOST_FINDINGS)
    .map(({ state, who, text }) => oneLine(`${state.padEnd(9)}  ${who}: ${text}`));
  return all.length > MOST_FINDINGS ? [...lines, `and ${plural(all.length - MOST_FINDINGS, "more finding")}`] : lines;
}
