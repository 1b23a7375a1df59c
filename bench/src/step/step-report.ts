import { count, figure } from "../report/format.ts";
import { atMost, type Report } from "../report/report.ts";
import { fairPart } from "./plan.ts";
import type { StepBenchFigures } from "./step.ts";

/** What the design measured in virtual time (median and p99): the most that a step should take, in milliseconds. */
const DESIGN = { firstToken: { median: 15, p99: 174 }, fairPart: { median: 2_000, p99: 2_800 } };

export function stepReport({ plan, stores }: StepBenchFigures): Report {
  const { members, fleets, max, asks, idleMs, askMs } = plan;
  return {
    tables: [
      {
        title: "An idle member begins to ask, where shares follow demand",
        columns: [
          "store",
          "the others",
          "first token: median, ms",
          "p99, ms",
          "nine tenths of its part: median, ms",
          "p99, ms",
          "steps",
          "without it",
        ],
        rows: stores.map(({ store, others, steps, firstToken, fairPart, missed }) => [
          store,
          others,
          figure(firstToken.median),
          figure(firstToken.p99),
          figure(fairPart.median),
          figure(fairPart.p99),
          count(steps),
          count(missed),
        ]),
        notes: [
          `${members} processes share ${max} tokens a second; ${fleets} such fleets at once on each store. One member is idle for ${idleMs / 1_000} to ${idleMs / 1_000 + 1} s and then asks ${asks} times a second, for ${askMs / 1_000} s. The others do nothing, or ask all the time for more than there is.`,
          `Its part is ${fairPart(plan, "idle")} tokens a second beside idle members, ${fairPart(plan, "saturated")} beside saturated ones. It has nine tenths of it when the last second brought them, so that a second at most passes of necessity. Counted by the tokens that the process was granted, from its first request.`,
        ],
      },
    ],
    targets: stores.flatMap(({ store, others, firstToken, fairPart, missed }) => [
      atMost(`${store}, others ${others}: first token, median, ms`, firstToken.median, DESIGN.firstToken.median),
      atMost(`${store}, others ${others}: first token, p99, ms`, firstToken.p99, DESIGN.firstToken.p99),
      atMost(`${store}, others ${others}: its part, median, ms`, fairPart.median, DESIGN.fairPart.median),
      atMost(`${store}, others ${others}: its part, p99, ms`, fairPart.p99, DESIGN.fairPart.p99),
      atMost(`${store}, others ${others}: steps without its part`, missed, 0),
    ]),
  };
}
