import { describe, expect, it } from "vitest";
import type { Result } from "../src/saved-results.ts";
import type { StoreCostFigures } from "../src/store-costs/figures.ts";
import { PATIENCE_MS, runBench } from "./run-bench.ts";

describe("the stores benchmark", () => {
  it(
    "prints one JSON object with what one sync and one join cost, counted by the server",
    async () => {
      const { stdout } = await runBench("stores", "--quick", "--json", "--only", "redis");
      const { figures, quick, targets } = JSON.parse(stdout) as Result<StoreCostFigures>;
      expect(quick).toBe(true);
      const [store, ...others] = figures.stores;
      expect(others).toEqual([]);
      expect(store).toMatchObject({ name: "redis", capabilities: { clock: "server", hints: true, losesData: true } });
      expect(store?.sizes).toMatchObject(
        [3, 6].map((members) => ({
          members,
          syncs: 10,
          latencyMs: { p99: expect.any(Number) },
          serverPerSync: { requests: 1 },
        })),
      );
      for (const size of store?.sizes ?? []) expect(size).toHaveProperty("roundTrips", expect.any(Number));
      expect(store?.convergence).toMatchObject(
        [3, 6].map((members) => ({ members, ms: { median: expect.any(Number) }, idlePerSync: { requests: 1 } })),
      );
      expect(targets).toHaveLength(3);
    },
    PATIENCE_MS,
  );

  it(
    "measures a store without a server too, and says that there are no round trips",
    async () => {
      const { stdout } = await runBench("stores", "--quick", "--json", "--only", "memory");
      const { figures } = JSON.parse(stdout) as Result<StoreCostFigures>;
      expect(figures.stores[0]?.sizes).toMatchObject([3, 6].map(() => ({ roundTrips: null, serverPerSync: null })));
    },
    PATIENCE_MS,
  );
});
