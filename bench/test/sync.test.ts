import { describe, expect, it } from "vitest";
import type { Result } from "../src/saved-results.ts";
import type { SyncFigures } from "../src/sync/sync.ts";
import { PATIENCE_MS, runBench } from "./run-bench.ts";

describe("the sync benchmark", () => {
  it(
    "prints one JSON object with every store and size, and the growth between them",
    async () => {
      const { stdout } = await runBench("sync", "--quick", "--json");
      const { figures, targets, quick } = JSON.parse(stdout) as Result<SyncFigures>;
      expect(quick).toBe(true);
      expect(figures.stores.map(({ name }) => name)).toEqual(["memory", "sqlite", "redis"]);
      for (const { sizes } of figures.stores) {
        expect(sizes.map(({ members }) => members)).toEqual([5, 10]);
        for (const { usPerSync } of sizes) expect(usPerSync.median).toBeGreaterThan(0);
        expect(sizes[0]?.growth.median).toBe(1);
      }
      expect(figures.stores.at(-1)?.sizes.every(({ serverUsPerSync }) => (serverUsPerSync ?? 0) > 0)).toBe(true);
      expect(targets).toHaveLength(figures.stores.length);
    },
    PATIENCE_MS,
  );
});
