import { count, figure } from "../report/format.ts";
import type { Table } from "../report/report.ts";
import { isMeasured, type MeasuredSize, type StoreCosts } from "./figures.ts";

/** How many members one core carries, by the work that a sync of the largest measured group was. */
export function ceilingTable(stores: readonly StoreCosts[]): Table {
  return {
    title: "Where the ceiling is",
    columns: [
      "store",
      "largest group measured",
      "µs of work per sync",
      "members per core at one sync a second",
      "largest group that took in a newcomer",
      "which took ms",
    ],
    rows: stores.map(({ name, sizes, convergence }) => {
      const largest = sizes.filter(isMeasured<MeasuredSize>).at(-1);
      const fleet = convergence.filter((figures) => "ms" in figures).at(-1);
      const us = largest && workUs(largest);
      return [
        name,
        largest ? count(largest.members) : "-",
        us === undefined ? "-" : figure(us),
        us === undefined ? "-" : count(Math.floor(1e6 / us)),
        fleet ? count(fleet.members) : "-",
        fleet ? count(fleet.ms.median) : "-",
      ];
    }),
    notes: [
      "Work is the server's own count of time. For etcd it is the processor time of all its processes. For DynamoDB it is that of dynalite, which is no measure of AWS. Without a server it is the caller's time, since the store works in the caller's process. Twice the sync interval carries twice the members.",
      "Members per core are arithmetic on steady state, with nothing left for anything else. A join makes every member sync about three times at once, and is what a group feels first: see each store's second table.",
    ],
  };
}

function workUs({ serverPerSync, latencyMs }: MeasuredSize): number {
  const counted = Object.entries(serverPerSync ?? {}).find(([what]) => what.startsWith("µs"));
  return counted?.[1] ?? latencyMs.median * 1_000;
}
