import { describe, expect, it, vi } from "vitest";
import { llmFleet } from "../support/llm-fleet.ts";

// Six simulated minutes each: against hangs only.
vi.setConfig({ testTimeout: 600_000 });

describe("a fleet that shares an LLM quota with nothing but its limits", () => {
  it.each([1, 2])("uses it and is never refused (seed %d)", async (seed) => {
    const figures = await llmFleet({ seed });
    expect(figures.refused).toBe(0);
    expect(figures.used).toBeGreaterThanOrEqual(97);
    expect(figures.lightMedianMs).toBeLessThanOrEqual(500);
  });

  it("does so with timers that are late", async () => {
    const figures = await llmFleet({ seed: 1, lateMs: 20 });
    expect(figures.refused).toBe(0);
    expect(figures.used).toBeGreaterThanOrEqual(96);
  });

  it("does so with estimates from 0.3 to 3 of the truth", async () => {
    const figures = await llmFleet({ seed: 1, wrongEstimates: true });
    expect(figures.refused).toBe(0);
    expect(figures.used).toBeGreaterThanOrEqual(95);
  });
});
