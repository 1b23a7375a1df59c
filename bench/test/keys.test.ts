import { describe, expect, it } from "vitest";
import type { KeysFigures } from "../src/keys/keys.ts";
import { mostWithin } from "../src/keys/run-approach.ts";
import { Zipf } from "../src/keys/zipf.ts";
import type { Result } from "../src/saved-results.ts";
import { expectOrdered, PATIENCE_MS, runBench } from "./run-bench.ts";

describe("the keys benchmark", () => {
  it(
    "prints one JSON object with both approaches: requests, times, what hot tenants got, and memory",
    async () => {
      const { stdout } = await runBench("keys", "--quick", "--json");
      const { figures, quick, targets } = JSON.parse(stdout) as Result<KeysFigures>;
      expect(quick).toBe(true);
      expect(figures.approaches.map(({ name, version }) => [name, version !== null])).toEqual([
        ["createKeyed", false],
        ["rate-limiter-flexible", true],
      ]);
      for (const { name, rounds, memory } of figures.approaches) {
        expect(rounds, name).toHaveLength(1);
        for (const { parts } of rounds) {
          for (const part of Object.values(parts)) expectOrdered(part.othersMs, name);
          expectOrdered(parts.loaded.hotMs, name);
          expect(parts.loaded.decisions, name).toBeGreaterThan(0);
          expect(parts.loaded.hotPerSecond, name).toHaveLength(2);
        }
        expect(memory.mostKeysInRedis, name).toBeGreaterThan(0);
        expect(memory.bytesPerKeyInRedis, name).toBeGreaterThan(0);
      }
      expect(targets).toHaveLength(8);
    },
    PATIENCE_MS,
  );

  it("counts the most in any window, wherever that begins", () => {
    expect(mostWithin([], 980)).toBe(0);
    expect(mostWithin([0, 979, 980, 1_500, 1_959], 980)).toBe(3);
    expect(mostWithin([0, 980, 1_960], 980)).toBe(1);
  });

  it("draws the first of many as often as Zipf's law has it", () => {
    const zipf = new Zipf(1_000);
    let state = 0.5;
    const next = (): number => {
      state = (state + 0.618_033_988_749) % 1;
      return state;
    };
    const drawn = Array.from({ length: 100_000 }, () => zipf.next({ next }));
    const share = (k: number): number => drawn.filter((one) => one === k).length / drawn.length;
    expect(share(1)).toBeCloseTo(1 / 7.485, 2);
    expect(share(1) / share(10)).toBeCloseTo(10, 0);
  });
});
