import { figure } from "../report/format.ts";
import type { Report } from "../report/report.ts";
import type { Result } from "../saved-results.ts";
import type { Spread } from "../statistics.ts";
import type { FirstTokenFigures } from "./first-token.ts";

export function firstTokenReport(figures: FirstTokenFigures, before?: Result<FirstTokenFigures>): Report {
  const intervals = figures.stores[0]?.waits.map(({ interval }) => interval) ?? [];
  const columns = intervals.flatMap((interval) => [`new group, ${interval}`, `joining, ${interval}`]);
  return {
    tables: [
      {
        title: "From start() to the first token, in seconds",
        columns: ["store", ...columns.flatMap((column) => (before ? [`${column}: before`, "now"] : [column]))],
        rows: figures.stores.map(({ name }) => {
          const [now, then] = [waitsOf(figures, name), before && waitsOf(before.figures, name)];
          return [name, ...now.flatMap((wait, i) => (then ? [then[i] ?? "", wait] : [wait]))];
        }),
        notes: [
          "Median (least to most), or the one try. All stores at once, on servers of their own on this machine.",
          howMeasured(figures, intervals),
          "A new group on a store that can lose its data first learns, unless the store knows that its data is older. Whoever joins a group that has used all its tokens of an epoch waits for the next one.",
          "The first token of a new group on a store that cannot lose its data comes with the start; on another, once it has learned, with the next epoch: with interval 1m after 0 to 60 s, by chance.",
          ...(before ? [howMeasuredBefore(before, intervals)] : []),
        ],
      },
    ],
    targets: [],
  };
}

/** One text for each column. */
function waitsOf({ stores }: FirstTokenFigures, store: string): string[] {
  const waits = stores.find(({ name }) => name === store)?.waits ?? [];
  return waits.flatMap((wait) => [shown(wait.fresh), shown(wait.joining)]);
}

function howMeasured({ tries, dataAgeS }: FirstTokenFigures, intervals: readonly string[]): string {
  return intervals
    .map(
      (interval, i) => `Interval ${interval}: ${tries[i]} tries, the server's data ${dataAgeS[i]} s old at the first.`,
    )
    .join(" ");
}

function howMeasuredBefore(before: Result<FirstTokenFigures>, intervals: readonly string[]): string {
  const { commit, command, date, machine, conditions, figures } = before;
  const { cpu, cores, system, node } = machine;
  const where = [
    date.slice(0, 10),
    `on ${cpu}`,
    `${cores} cores`,
    system,
    `Node ${node}`,
    ...(conditions ? [conditions] : []),
  ];
  return `Before: the same at commit ${commit}, \`${command}\`, ${where.join(", ")}. ${howMeasured(figures, intervals)}`;
}

function shown({ median, min, max }: Spread): string {
  const [middle, least, most] = [median, min, max].map((ms) => figure(ms / 1_000));
  return least === most ? `${middle}` : `${middle} (${least} to ${most})`;
}
