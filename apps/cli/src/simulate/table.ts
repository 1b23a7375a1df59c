import { aligned, percent } from "@dt-tooling/worlds/callee";
import type { Simulated } from "./simulation.ts";

const HEAD = ["", "goodput", "p99", "settles", "Jain", "sent", "timeouts", "refused", "after", ""];

/** A line for each algorithm. */
export function tableOf(simulated: readonly Simulated[]): string {
  return aligned([
    HEAD,
    ...simulated.map(({ algorithm, verdict }) => {
      const { goodput, p99, settleSeconds, jain, sent, timeouts, refused, afterwards } = verdict;
      return [
        algorithm,
        percent(goodput),
        Number.isNaN(p99) ? "-" : `x ${p99.toFixed(2)}`,
        `${settleSeconds.toFixed(1)} s`,
        jain.toFixed(3),
        percent(sent),
        percent(timeouts),
        percent(refused),
        Number.isNaN(afterwards) ? "" : percent(afterwards),
        "",
      ];
    }),
  ]);
}
