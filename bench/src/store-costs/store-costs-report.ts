import { count, figure, ratio } from "../report/format.ts";
import { atMost, type Report, type Table, type Target } from "../report/report.ts";
import type { Counters } from "../stores/bench-store.ts";
import { ceilingTable } from "./ceiling-table.ts";
import { isMeasured, type MeasuredSize, type StoreCostFigures, type StoreCosts } from "./figures.ts";

/** One round trip, and what a busy machine may add to the measurement of one. */
const ROUND_TRIP_BOUND = 1.25;

export function storeCostsReport({ stores }: StoreCostFigures): Report {
  return {
    tables: [
      capabilities(stores),
      ceilingTable(stores),
      ...stores.flatMap((store) => [syncTable(store), convergenceTable(store)]),
    ],
    targets: stores.flatMap(targets),
  };
}

function capabilities(stores: readonly StoreCosts[]): Table {
  return {
    title: "What each store can do",
    columns: ["store", "clock", "hints", "can lose its data while members live", "round trips of a sync"],
    rows: stores.map(({ name, capabilities: { clock, hints, losesData }, sizes }) => {
      const trips = sizes.filter(isMeasured<MeasuredSize>).flatMap(({ roundTrips }) => roundTrips ?? []);
      return [name, clock, yes(hints), yes(losesData), trips.length > 0 ? figure(Math.max(...trips)) : "no network"];
    }),
    notes: [
      "Round trips are measured: how much longer a sync takes behind a proxy that holds every message back for 50 ms each way, divided by 100 ms.",
    ],
  };
}

function syncTable({ name, configuration, date, loadBefore, machine, sizes }: StoreCosts): Table {
  const measured = sizes.filter(isMeasured<MeasuredSize>);
  const counts = Object.keys(measured[0]?.serverPerSync ?? {});
  return {
    title: `${name}: one sync of a group that agrees`,
    columns: ["members", "median ms", "p99 ms", `/ ${count(sizes[0]?.members ?? 0)} members`, "round trips", ...counts],
    rows: measured.map(({ members, latencyMs, growth, roundTrips, serverPerSync }) => [
      count(members),
      ...[latencyMs.median, latencyMs.p99].map(milliseconds),
      ratio(growth),
      roundTrips === null ? "-" : figure(roundTrips),
      ...counts.map((what) => optional(serverPerSync, what)),
    ]),
    notes: [
      `${configuration}. Each row: ${measured[0]?.syncs ?? 0} syncs one after the other, each by another member, sizes taking turns.`,
      ...(counts.length > 0 ? ["Columns after the round trips are the server's own counters, for one sync."] : []),
      `Measured ${date.slice(0, 10)} on ${machine.cores} cores that other work shared (load average ${figure(loadBefore)} before it began): compare ratios and counts, not milliseconds.`,
      ...reasons(sizes),
    ],
  };
}

function convergenceTable({ name, convergence }: StoreCosts): Table {
  const measured = convergence.filter((figures) => "ms" in figures);
  const counts = Object.keys(measured[0]?.idlePerSync ?? {});
  return {
    title: `${name}: until all members agree after a join`,
    columns: [
      "members",
      "median ms",
      "min",
      "max",
      "syncs per member",
      "sync interval s",
      ...counts.map((what) => `idle: ${what}`),
    ],
    rows: measured.map(({ members, ms, syncsPerMember, syncIntervalMs, idlePerSync }) => [
      count(members),
      ...[ms.median, ms.min, ms.max].map(count),
      figure(syncsPerMember),
      figure(syncIntervalMs / 1_000),
      ...counts.map((what) => optional(idlePerSync, what)),
    ]),
    notes: [
      `Real throttles, all in one process over one client (at most 50 calls at once) and one listener of hints, joined by ${count(measured[0]?.joins ?? 0)} more, one after the other. From the newcomer's call of start() until every throttle's view is the new pool, agreed.`,
      ...(counts.length > 0
        ? [
            "`idle` is counted for one sync of these throttles afterwards, with all upkeep of the store and of the server.",
          ]
        : []),
      ...reasons(convergence),
    ],
  };
}

function reasons(sizes: readonly { readonly members: number; readonly notMeasured?: string }[]): string[] {
  return sizes.flatMap(({ members, notMeasured }) =>
    notMeasured === undefined ? [] : [`${count(members)} members: no figures, ${shortened(notMeasured)}.`],
  );
}

/** An error's first part: what happened, without the remedy. */
function shortened(reason: string): string {
  return reason.split("; ")[0] as string;
}

function targets({ name, sizes }: StoreCosts): Target[] {
  const measured = sizes.filter(isMeasured<MeasuredSize>);
  const [smallest, largest] = [measured[0] ?? sizes[0], measured.at(-1) ?? sizes.at(-1)];
  if (!smallest || !largest) throw new Error(`${name} was asked for no group`);
  const growth = `${name}: growth of a sync from ${count(smallest.members)} to ${count(largest.members)} members, log n at most`;
  return [
    ...measured.flatMap(({ members, roundTrips }) =>
      roundTrips === null
        ? []
        : [atMost(`${name}: round trips of a sync among ${count(members)}`, roundTrips, ROUND_TRIP_BOUND)],
    ),
    atMost(growth, measured.at(-1)?.growth ?? null, Math.log(largest.members) / Math.log(smallest.members)),
  ];
}

function optional(counters: Counters | null, what: string): string {
  const value = counters?.[what];
  return value === undefined ? "-" : figure(value);
}

/** Times below a tenth of a millisecond keep three digits. */
function milliseconds(ms: number): string {
  return ms < 0.1 ? ms.toFixed(4) : figure(ms);
}

function yes(value: boolean): string {
  return value ? "yes" : "no";
}
