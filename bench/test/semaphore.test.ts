import { describe, expect, it } from "vitest";
import type { Result } from "../src/saved-results.ts";
import type { SemaphoreFigures } from "../src/semaphore/semaphore.ts";
import { expectOrdered, PATIENCE_MS, runBench } from "./run-bench.ts";

describe("the semaphore benchmark", () => {
  it(
    "prints one JSON object with every approach under every load, whose figures are the callee's",
    async () => {
      const { stdout } = await runBench("semaphore", "--quick", "--json");
      const { figures, quick, targets } = JSON.parse(stdout) as Result<SemaphoreFigures>;
      expect(quick).toBe(true);
      expect(figures.loads).toHaveLength(2);
      for (const { load, approaches } of figures.loads) {
        expect(approaches.map(({ name, version }) => [name, version !== null])).toEqual([
          ["createSemaphore on Redis", false],
          ["createSemaphore on PostgreSQL", false],
          ["redis-semaphore", true],
          ["bullmq", true],
        ]);
        for (const { name, used, most, calls, requestsPerCall, busyWaitMs, lightWaitMs } of approaches) {
          expect(calls, name).toBeGreaterThan(0);
          expect(used, name).toBeGreaterThan(0);
          // Rounded: all slots may have been in use all the time.
          expect(Number(used.toFixed(9)), name).toBeLessThanOrEqual(most / load.max);
          expect(most, name).toBeLessThanOrEqual(load.max);
          expect(requestsPerCall, name).toBeGreaterThan(0);
          expectOrdered(busyWaitMs, name);
          if (load.callers.includes(0)) expectOrdered(lightWaitMs, name);
          else expect(lightWaitMs, name).toBeNull();
        }
      }
      expect(targets).toHaveLength(8);
    },
    PATIENCE_MS,
  );
});
