import { describe, expect, it } from "vitest";
import type { PermitFigures } from "../src/permits/permits.ts";
import type { Result } from "../src/saved-results.ts";
import { PATIENCE_MS, runBench } from "./run-bench.ts";

describe("the permits benchmark", () => {
  it(
    "prints one JSON object with every store and peer, and counts fewer requests in blocks",
    async () => {
      const { stdout } = await runBench("permits", "--quick", "--json");
      const { figures, quick } = JSON.parse(stdout) as Result<PermitFigures>;
      expect(quick).toBe(true);
      const stores = ["memory", "sqlite", "redis", "postgres", "etcd-1", "dynamodb"].map((name) => `@dt ${name}`);
      expect(figures.candidates.map(({ name }) => name)).toEqual([...stores, "redis-gcra", "rate-limiter-flexible"]);
      for (const { name, oneAtATime, blocks } of figures.candidates) {
        expect(oneAtATime.permitsPerSecond.median).toBeGreaterThan(0);
        if (oneAtATime.requestsPerPermit === null) expect(name).toMatch(/memory|sqlite/);
        else expect(oneAtATime.requestsPerPermit).toBeGreaterThanOrEqual(0.9);
        if (blocks?.requestsPerPermit) expect(blocks.requestsPerPermit).toBeLessThan(0.1);
      }
    },
    PATIENCE_MS,
  );
});
