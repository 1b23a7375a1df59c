import { figure } from "../report/format.ts";
import type { Report } from "../report/report.ts";
import type { Spread } from "../statistics.ts";
import type { FirstTokenFigures } from "./first-token.ts";

export function firstTokenReport({ stores, tries, dataAgeS }: FirstTokenFigures): Report {
  const intervals = stores[0]?.waits.map(({ interval }) => interval) ?? [];
  return {
    tables: [
      {
        title: "From start() to the first token, in seconds",
        columns: ["store", ...intervals.flatMap((interval) => [`new group, ${interval}`, `joining, ${interval}`])],
        rows: stores.map(({ name, waits }) => [
          name,
          ...waits.flatMap((wait) => [shown(wait.fresh), shown(wait.joining)]),
        ]),
        notes: [
          "Median (least to most), or the one try. All stores at once, on servers of their own on this machine.",
          intervals
            .map(
              (interval, i) =>
                `Interval ${interval}: ${tries[i]} tries, the server's data ${dataAgeS[i]} s old at the first.`,
            )
            .join(" "),
          "A new group on a store that can lose its data first learns, unless the store knows that its data is older. Whoever joins a group that uses all its tokens waits for the next epoch.",
        ],
      },
    ],
    targets: [],
  };
}

function shown({ median, min, max }: Spread): string {
  const [middle, least, most] = [median, min, max].map((ms) => figure(ms / 1_000));
  return least === most ? `${middle}` : `${middle} (${least} to ${most})`;
}
