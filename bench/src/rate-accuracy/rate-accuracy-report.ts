import { count, figure } from "../report/format.ts";
import { atMost, type Report } from "../report/report.ts";
import { PER_SECOND } from "./limiter.ts";
import type { RateAccuracyFigures } from "./rate-accuracy.ts";

export function rateAccuracyReport({ rounds, seconds, windowMs, limiters }: RateAccuracyFigures): Report {
  const most = `most starts in ${windowMs} ms`;
  return {
    tables: [
      {
        title: `${PER_SECOND} calls a second`,
        columns: ["", `A: ${most}`, "A: calls/s", `B: ${most}`, "B: calls/s"],
        rows: limiters.map(({ name, a, b }) => [
          name,
          ...[a, b].flatMap((pattern) => [count(pattern.most), figure(pattern.perSecond)]),
        ]),
        notes: [
          "A: 900 ms idle, then saturated. B: one call, 900 ms idle, then saturated.",
          `The worst of ${rounds} rounds of ${seconds} s each; limiters take turns, each pattern in a process of its own, at real-time priority where that is allowed. calls/s counts what starts in the saturated part, with the one call before it in B.`,
          "A callee that counts by sliding seconds refuses what is more than its limit in any of them; 980 ms leave 20 ms for the clocks and the network between.",
          ...limiters.map(
            ({ name, version, configuration }) => `${name}${version ? ` ${version}` : ""}: ${configuration}.`,
          ),
        ],
      },
    ],
    targets: limiters
      .filter(({ version }) => version === null)
      .flatMap(({ name, a, b }) => [
        atMost(`${name}: ${most}, pattern A`, a.most, PER_SECOND),
        atMost(`${name}: ${most}, pattern B`, b.most, PER_SECOND),
      ]),
  };
}
