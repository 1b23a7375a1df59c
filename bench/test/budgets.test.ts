import { describe, expect, it } from "vitest";
import type { BudgetFigures } from "../src/budgets/budgets.ts";
import type { Result } from "../src/saved-results.ts";
import { expectOrdered, PATIENCE_MS, runBench } from "./run-bench.ts";

describe("the budgets benchmark", () => {
  it(
    "prints one JSON object with every approach, whose figures are the callee's and Redis's",
    async () => {
      const { stdout } = await runBench("budgets", "--quick", "--json");
      const { figures, quick, targets } = JSON.parse(stdout) as Result<BudgetFigures>;
      expect(quick).toBe(true);
      expect(figures.approaches.map(({ name, version }) => [name, version !== null])).toEqual([
        ["createBudget", false],
        ["rate-limiter-flexible", true],
        ["bottleneck", true],
      ]);
      for (const { name, rounds } of figures.approaches) {
        expect(rounds, name).toHaveLength(1);
        for (const { usedRequests, usedTokens, calls, requestsPerCall, lightWaitMs, greedyWaitMs } of rounds) {
          expect(calls, name).toBeGreaterThan(0);
          expect(usedRequests, name).toBeGreaterThan(0);
          expect(usedTokens, name).toBeGreaterThan(0);
          expect(requestsPerCall, name).toBeGreaterThan(0);
          for (const waitMs of [lightWaitMs, greedyWaitMs]) expectOrdered(waitMs, name);
        }
      }
      expect(targets).toHaveLength(3);
    },
    PATIENCE_MS,
  );
});
