import { atMost, type Report } from "../report/report.ts";
import { median } from "../statistics.ts";
import type { CapacityFigures } from "./capacity.ts";

/** `dt capacity` finds a known capacity within so much. */
const WITHIN = 0.1;

export function capacityReport({ callees }: CapacityFigures): Report {
  return {
    tables: [
      {
        title: "Calls a second that a callee can take",
        columns: ["callee", "asked", "known", "found: median", "each round"],
        rows: callees.map(({ callee, asked, known, found }) => [
          callee,
          asked,
          known.toFixed(1),
          median(found).toFixed(1),
          found.map((rate) => rate.toFixed(1)).join(", "),
        ]),
        notes: [
          "Each callee is a real HTTP server in a process of its own: workers with one request at a time, and one queue before them. What is known follows from its settings; for exponential times from the theory of M/M/c queues.",
        ],
      },
    ],
    targets: callees.map(({ callee, known, found }) =>
      atMost(`${callee}: off by`, Math.max(...found.map((rate) => Math.abs(rate / known - 1))), WITHIN),
    ),
  };
}
