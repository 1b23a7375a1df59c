import { count, figure } from "../report/format.ts";
import { atMost, type Report } from "../report/report.ts";
import { GCRA_PEER } from "./peers.ts";
import type { PermitFigures, WayFigures } from "./permits.ts";

export function permitsReport({ rounds, atOnce, block, candidates, againstPeer }: PermitFigures): Report {
  const perSecond = (way: WayFigures | null): string => (way ? count(way.permitsPerSecond.median) : "-");
  const requests = (way: WayFigures | null): string =>
    way?.requestsPerPermit === null || way === null ? "-" : figure(way.requestsPerPermit);
  return {
    tables: [
      {
        title: "Permits reserved by one process",
        columns: [
          "",
          "permits/s, one at a time",
          "requests/permit",
          `permits/s, ${atOnce} at a time`,
          "requests/permit",
          `permits/s, blocks of ${block}`,
          "requests/permit",
        ],
        rows: candidates.map(({ name, oneAtATime, together, blocks }) => [
          name,
          ...[oneAtATime, together, blocks].flatMap((way) => [perSecond(way), requests(way)]),
        ]),
        notes: [
          ...candidates.map(({ name, configuration }) => `${name}: ${configuration}.`),
          `Medians of ${rounds} rounds, candidates interleaved, each round on a key of its own. Requests by the server's own count.`,
          "A reservation of @dt is remembered for 2 s, so that repeating it after a lost answer gives the same permit; peers remember nothing.",
          "etcd and DynamoDB write calls that are made together as one, and every write is on disk before it is answered (not in dynalite).",
        ],
      },
    ],
    targets: [
      atMost(`@dt redis: time of a permit against ${GCRA_PEER}'s, one at a time`, againstPeer.median, 2),
      ...candidates.flatMap(({ name, blocks }) =>
        blocks?.requestsPerPermit == null
          ? []
          : [atMost(`${name}: requests for each permit in blocks of ${block}`, blocks.requestsPerPermit, 3 / block)],
      ),
    ],
  };
}
