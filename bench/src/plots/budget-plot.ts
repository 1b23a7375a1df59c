import type { BudgetFigures } from "../budgets/budgets.ts";
import { figure } from "../report/format.ts";
import { median, spread } from "../statistics.ts";
import { bar } from "./bar.ts";
import type { BarPlot } from "./bar-plot.ts";

/** A provider's quota, shared in three ways. */
export function budgetPlot({ approaches }: BudgetFigures): BarPlot {
  const middle = (values: readonly (number | null)[]): number => median(values.flatMap((value) => value ?? [])) ?? 0;
  return {
    id: "budget-use",
    title: "A quota of requests and tokens",
    description: "How much of a provider's quota is used, and how many requests to Redis a call needs.",
    panels: [
      {
        title: "Used of the limit that binds (more is better)",
        scale: "linear",
        end: 100,
        bars: approaches.map(({ name, rounds }) => {
          const used = spread(rounds.map((round) => 100 * Math.max(round.usedRequests, round.usedTokens))).median;
          return bar(name, used, `${used.toFixed(1)} %`);
        }),
      },
      {
        title: "Requests to Redis for each call (fewer is better)",
        scale: "linear",
        bars: approaches.map(({ name, rounds }) => {
          const requests = middle(rounds.map(({ requestsPerCall }) => requestsPerCall));
          return bar(name, requests, figure(requests));
        }),
      },
      {
        title: "A light process waits, median",
        scale: "linear",
        bars: approaches.map(({ name, rounds }) => {
          const ms = middle(rounds.map(({ lightWaitMs }) => lightWaitMs?.[0] ?? null));
          return bar(name, ms, `${figure(ms)} ms`);
        }),
      },
    ],
  };
}
