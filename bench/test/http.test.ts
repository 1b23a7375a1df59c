import { expect, it } from "vitest";
import type { HttpFigures } from "../src/http/http.ts";
import type { Result } from "../src/saved-results.ts";
import { PATIENCE_MS, runBench } from "./run-bench.ts";

it(
  "the http benchmark prints one JSON object with every candidate beside the plain one",
  async () => {
    const { stdout } = await runBench("http", "--quick", "--json");
    const { figures, targets, quick } = JSON.parse(stdout) as Result<HttpFigures>;
    expect(quick).toBe(true);
    const names = figures.candidates.map(({ name }) => name);
    expect(names).toContain("undici + @dt/http");
    for (const { name, beside, cpuUs, cpuRatio } of figures.candidates) {
      expect(cpuUs.median).toBeGreaterThan(0);
      expect(names).toContain(beside);
      if (name === beside) expect(cpuRatio.median).toBe(1);
    }
    expect(targets).toHaveLength(2);
  },
  PATIENCE_MS,
);
