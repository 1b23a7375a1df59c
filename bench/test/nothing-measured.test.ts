import { MemoryStore } from "@dt/core";
import { describe, expect, it } from "vitest";
import { approaches as budgetApproaches } from "../src/budgets/approaches.ts";
import { budgets } from "../src/budgets/budgets.ts";
import { figuresOf as budgetFigures } from "../src/budgets/run-approach.ts";
import { approaches as fleetApproaches } from "../src/fleet/approaches.ts";
import { fleetReport } from "../src/fleet/fleet.ts";
import { figuresOf as fleetFigures } from "../src/fleet/run-approach.ts";
import { asMarkdown } from "../src/report/as-markdown.ts";
import { asText } from "../src/report/as-text.ts";
import type { Report } from "../src/report/report.ts";
import { approaches as semaphoreApproaches } from "../src/semaphore/approaches.ts";
import { figuresOf as semaphoreFigures } from "../src/semaphore/run-approach.ts";
import { semaphore } from "../src/semaphore/semaphore.ts";
import { noisyNeighbourChart } from "../src/signal/chart.ts";
import { signalReport } from "../src/signal/signal-report.ts";
import { steadyState } from "../src/store-costs/steady-state.ts";
import { storeCostsReport } from "../src/store-costs/store-costs-report.ts";

/** A number that JSON cannot say would be null in it all the same; a text would say it. */
function expectHonest(report: Report, notMeasured: readonly RegExp[]): void {
  for (const text of [asText(report), asMarkdown(report, 3)]) expect(text).not.toMatch(/NaN|Infinity|undefined|null/);
  for (const name of notMeasured)
    expect(report.targets.filter((target) => name.test(target.name))).toMatchObject([{ value: null, met: false }]);
}

describe("a run in which no call began", () => {
  it("of semaphores has no waits and no requests per call, and no target is met by it", () => {
    const load = { name: "l", max: 4, callers: [1, 0], holdMs: 100, lightEveryMs: 2_000 };
    const books = { calls: 0, most: 0, average: 0 };
    const report = { waitsMs: { busy: [], light: [] }, errors: [] };
    const own = semaphoreApproaches.slice(0, 1).map((one) => semaphoreFigures(one, load, books, [report, report], 3));
    expect(own).toMatchObject([{ used: 0, requestsPerCall: null, busyWaitMs: null, lightWaitMs: null }]);
    const figures = { times: { warmUpMs: 1, measuredMs: 1 }, loads: [{ load, approaches: own }] };
    expectHonest(semaphore.report(figures), [/most in flight/, /requests to the store/]);
  });

  it("of budgets has no waits and no requests per call, and no target is met by it", () => {
    const plan = {
      ...{ quota: { requests: 10, tokens: 100, windowMs: 1_000 }, lightPerSecond: [1], greedyCalls: 1 },
      ...{ holdMs: [1, 2] as const, warmUpMs: 1, measuredMs: 1_000 },
    };
    const books = { calls: 0, tokens: 0, refused: 0 };
    const report = { waitsMs: [], givenUp: 0, errors: [] };
    const measured = budgetApproaches.map((approach) => ({
      ...{ name: approach.name, version: approach.package ?? null, settings: "" },
      rounds: [budgetFigures(approach, plan, books, [report, report], 3)],
    }));
    for (const { rounds } of measured)
      expect(rounds).toMatchObject([{ calls: 0, requestsPerCall: null, lightWaitMs: null, greedyWaitMs: null }]);
    expectHonest(budgets.report({ plan, approaches: measured }), [/points below/, /refused/, /requests to Redis/]);
  });

  it("of fleets has no waits and no commands per call, and no target of calls is met by it", () => {
    const plan = {
      ...{ callee: { limit: 10, windowMs: 1_000 }, workers: 2, offered: 1.2, busyPart: 0.8, line: 1 },
      ...{ warmUpMs: 1, measuredMs: 1_000 },
    };
    const calls = { accepted: 0, refused: 0 };
    const books = { calls: [calls, calls], accepted: 0, fullestWindow: 0 };
    const report = { calls, waitsMs: [], turnedAway: 0, errors: [] };
    const own = fleetApproaches
      .filter(({ name }) => name === "demand")
      .map((approach) => fleetFigures(approach, plan, books, [report, report], { evalsha: 3 }));
    const waits = { lightMedianWaitMs: null, lightP99WaitMs: null, busyMedianWaitMs: null };
    expect(own).toMatchObject([{ used: 0, ...waits, commandsPerCall: null, scriptCommandsPerCall: null }]);
    expectHonest(fleetReport({ plan, approaches: own }), [/429/, /median wait/]);
  });
});

describe("a run in which nothing was confirmed", () => {
  it("has no latencies of calm topics, and the noise does not meet its target", () => {
    const noisyNeighbour = {
      ...{ quietP99Ms: 1, signalP99Ms: null, pauseP99Ms: null, first: false },
      ...{ rounds: { quiet: [1], signal: [null], pause: [null] }, medianMs: { quiet: 1, signal: null, pause: null } },
      ...{ quota: 1, offered: 10, acceptedPerSecond: { signal: 0, pause: 0 }, seconds: 1, leadSeconds: 1 },
    };
    expectHonest(signalReport({ noisyNeighbour }), [/p99 of the nine/]);
    expect(noisyNeighbourChart(noisyNeighbour)).not.toMatch(/NaN|Infinity|null/);
  });
});

describe("a store whose groups do not come together in time", () => {
  it("has the reason for every size, and a growth that was not measured", async () => {
    const plan = {
      ...{ sizes: [3, 6], rounds: 1, syncsPerRound: 1, withinMs: -1, staleAfterMs: 1, storeTimeoutMs: 1 },
      ...{ joins: 1, idleMs: 1, progress: () => undefined },
    };
    const store = new MemoryStore();
    const started = { store, configuration: "", stop: async () => undefined };
    const sizes = await steadyState(started, plan);
    expect(sizes).toMatchObject([3, 6].map((members) => ({ members, notMeasured: expect.any(String) })));
    const machine = { cpu: "", cores: 1, memoryGiB: 1, system: "", node: "", v8: "" };
    const about = { name: "memory", configuration: "", capabilities: store.capabilities, date: "", machine };
    const costs = { ...about, command: "", loadBefore: 0, sizes, convergence: [] };
    expectHonest(storeCostsReport({ stores: [costs] }), [/growth/]);
  });
});
