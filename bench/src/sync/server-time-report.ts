import { count, figure, ratio } from "../report/format.ts";
import { atMost, type Table, type Target } from "../report/report.ts";
import type { ServerTimeFigures } from "./server-time.ts";

/** What a sync may take of a server that has nothing else to do, in microseconds. */
const MOST_US = { "even shares": 20, "by demand": 66 } as const;

export function serverTimeTable({ configuration, rounds, callsPerRound, rows }: ServerTimeFigures): Table {
  return {
    title: "The time of the Redis server for one sync",
    columns: ["sync", "members", "µs", "lower quartile", "/ plain heartbeat"],
    rows: rows.map(({ what, members, median, lowerQuartile, againstHeartbeat }) => [
      ...[what, count(members), figure(median), figure(lowerQuartile)],
      ratio(againstHeartbeat),
    ]),
    notes: [
      `${configuration}, by its own count (INFO commandstats, EVALSHA). Even shares: all members agree. By demand: every member has what it wants.`,
      "Plain heartbeat: a script that does nothing but HSET and ZADD, of as many members.",
      `${rounds} rounds, everything interleaved; a round is ${count(callsPerRound)} calls one after the other, each by another member. Of even shares each member's last sync was a second before, as it is by default; only in the group of ten, which comes round sooner, nearly none has to be moved in the sorted set of expiry.`,
    ],
  };
}

export function serverTimeTargets({ rows }: ServerTimeFigures): Target[] {
  return rows.flatMap(({ what, members, lowerQuartile }) =>
    what === "plain heartbeat"
      ? []
      : [
          atMost(
            `redis, ${what}, ${count(members)} members: µs in the server, lower quartile`,
            lowerQuartile,
            MOST_US[what],
          ),
        ],
  );
}
