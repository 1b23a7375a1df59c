import { describe, expect, it } from "vitest";
import type { FleetFigures } from "../src/fleet/fleet.ts";
import { type Calls, type FleetPlan, offeredPerSecond } from "../src/fleet/plan.ts";
import { SlidingLog } from "../src/fleet/sliding-log.ts";
import type { Result } from "../src/saved-results.ts";
import { expectOrdered, PATIENCE_MS, runBench } from "./run-bench.ts";

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

describe("the callee of the fleet benchmark", () => {
  it("accepts so many in any window, wherever it begins, and counts only what it accepted", () => {
    const log = new SlidingLog({ limit: 3, windowMs: 100 });
    const came = [0, 50, 60, 99, 99.9, 100, 149, 150, 155, 159, 160, 199, 200];
    expect(came.filter((atMs) => log.accepts(atMs))).toEqual([0, 50, 60, 100, 150, 160, 200]);
  });
});

describe("the fleet benchmark", () => {
  it("offers most of the work to one worker, and to the others the rest in equal parts", () => {
    const plan = { callee: { limit: 6_000, windowMs: 60_000 }, workers: 5, offered: 1.2, busyPart: 0.8 } as FleetPlan;
    const offered = [0, 1, 2, 3, 4].map((worker) => offeredPerSecond(plan, worker));
    for (const [worker, perSecond] of [96, 6, 6, 6, 6].entries()) expect(offered[worker]).toBeCloseTo(perSecond, 9);
  });

  it(
    "prints one JSON object with every approach, whose figures follow from the callee's books",
    async () => {
      const { stdout } = await runBench("fleet", "--quick", "--json");
      const { figures, quick, targets } = JSON.parse(stdout) as Result<FleetFigures>;
      expect(quick).toBe(true);
      const names = ["even", "demand", "pacer", "rate-limiter-flexible", "bottleneck"];
      expect(figures.approaches.map(({ name }) => name)).toEqual(names);
      const { plan } = figures;
      for (const approach of figures.approaches) {
        const { books, name, used, rejected429, lightMedianWaitMs, lightP99WaitMs } = approach;
        const called = ({ accepted, refused }: Calls): number => accepted + refused;
        expect(books.workers, name).toEqual(books.callee);
        expect(books.callee, name).toHaveLength(plan.workers);
        for (const calls of books.callee) expect(calls.accepted, name).toBeGreaterThan(0);
        expect(rejected429, name).toBe(sum(books.callee.map(({ refused }) => refused)));
        // Whole windows, each of which is allowed so much.
        expect(used, name).toBeGreaterThan(0);
        expect(used, name).toBeLessThanOrEqual(1);
        const counted = Math.round((used * plan.callee.limit * plan.measuredMs) / plan.callee.windowMs);
        expect(counted, name).toBeLessThanOrEqual(sum(books.callee.map(({ accepted }) => accepted)));
        const fullest = Math.round(approach.fullestWindow * plan.callee.limit);
        expect(fullest, name).toBeLessThanOrEqual(sum(books.callee.map(called)));
        expectOrdered([lightMedianWaitMs, lightP99WaitMs], name);
        expect(approach.commandsPerSecond, name).toBeGreaterThan(0);
        expect(approach.commandsPerCall, name).toBeGreaterThan(0);
        expect(approach.settings, name).toMatch(/\d/);
        expect(approach.version !== null, name).toBe(/flexible|bottleneck/.test(name));
      }
      expect(targets.map(({ name }) => name)).toEqual([
        "demand: of the limit not used",
        "demand: calls answered 429",
        "demand: median wait of the light workers, ms",
        "demand: store commands a second and process",
      ]);
    },
    PATIENCE_MS,
  );
});
