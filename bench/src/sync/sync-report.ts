import { count, figure, ratio } from "../report/format.ts";
import { atMost, type Report } from "../report/report.ts";
import { serverTimeTable, serverTimeTargets } from "./server-time-report.ts";
import type { SyncFigures } from "./sync.ts";

export function syncReport({ rounds, stores, serverTime }: SyncFigures): Report {
  const { tables, targets } = storesReport(rounds, stores);
  if (!serverTime) return { tables, targets };
  return {
    tables: [...tables, serverTimeTable(serverTime)],
    targets: [...targets, ...serverTimeTargets(serverTime)],
  };
}

function storesReport(rounds: number, stores: SyncFigures["stores"]): Report {
  return {
    tables: stores.map(({ name, configuration, syncsPerRound, sizes }) => ({
      title: `One sync with the ${name} store`,
      columns: ["members", "µs/sync", "min", "max", `/ ${count(sizes[0]?.members ?? 0)} members`, "µs in the server"],
      rows: sizes.map(({ members, usPerSync, growth, serverUsPerSync }) => [
        count(members),
        ...[usPerSync.median, usPerSync.min, usPerSync.max].map(figure),
        ratio(growth.median),
        serverUsPerSync === null ? "-" : figure(serverUsPerSync),
      ]),
      notes: [
        `${configuration}.`,
        `Medians of ${rounds} rounds, sizes interleaved; a round is ${count(syncsPerRound)} syncs one after the other, each by another member. All members agree; nobody joins or leaves.`,
      ],
    })),
    targets: stores.map(({ name, sizes }) => {
      const [smallest, largest] = [sizes[0], sizes.at(-1)];
      if (smallest === undefined || largest === undefined) throw new Error(`${name} was measured with no group`);
      const what = `${name}: growth of a sync from ${count(smallest.members)} to ${count(largest.members)} members, log n at most`;
      return atMost(what, largest.growth.median, Math.log(largest.members) / Math.log(smallest.members));
    }),
  };
}
