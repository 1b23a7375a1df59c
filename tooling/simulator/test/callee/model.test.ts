import { describe, expect, it } from "vitest";
import { BIN_MS, type Service } from "../../src/callee/index.ts";
import { atMost, estimate, open, runWith, scenario } from "./support.ts";

const MEASURED_SECONDS = 90;

/** Erlang's C: the probability that a call has to wait. */
function erlangC(servers: number, load: number): number {
  let blocked = 1;
  for (let n = 1; n <= servers; n++) blocked = (load * blocked) / (n + load * blocked);
  const busy = load / servers;
  return blocked / (1 - busy * (1 - blocked));
}

describe("the formulas of queueing theory hold in the world", () => {
  const stable = runWith(scenario({ servers: 8, service: { kind: "exponential", meanMs: 20 } }, open(340)));
  const saturated = runWith(
    scenario({ servers: 8, service: { kind: "exponential", meanMs: 20 } }, open(1_000)),
    1,
    () => atMost(24),
  );
  const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;

  it.each([
    ["below saturation", stable],
    ["at saturation", saturated],
  ])("Little's law, P = L R: %s", (_, book) => {
    const perMs = book.counts.succeeded / (1_000 * MEASURED_SECONDS);
    const latencies = book.latencyMs.values.filter(
      (_, index) => (book.repliedMs.values[index] as number) >= book.fromMs,
    );
    expect(book.awaited.mean / (perMs * mean(latencies))).toBeCloseTo(1, 2);
  });

  it("P = Q + C when saturated; what is in flight and not at the callee is on the network", () => {
    const perMs = saturated.counts.succeeded / (1_000 * MEASURED_SECONDS);
    expect(saturated.running.mean).toBeCloseTo(8, 3);
    expect(saturated.awaited.mean).toBeCloseTo(saturated.waiting.mean + 8 + 2 * perMs, 1);
  });

  it("C = R T when saturated", () => {
    const perMs = saturated.counts.succeeded / (1_000 * MEASURED_SECONDS);
    expect((perMs * saturated.serviceMs) / saturated.started).toBeCloseTo(8, 1);
  });

  it.each([
    ["below saturation", stable],
    ["at saturation", saturated],
  ])("W = Q / R: %s", (_, book) => {
    const waitMs = book.waitMs / book.started;
    expect(book.waiting.mean / (book.started / (1_000 * MEASURED_SECONDS)) / waitMs).toBeCloseTo(1, 2);
  });

  it("L = W + T, and the network's 2 ms", () => {
    const latencies = stable.latencyMs.values.filter(
      (_, index) => (stable.repliedMs.values[index] as number) >= stable.fromMs,
    );
    expect(mean(latencies) / ((stable.waitMs + stable.serviceMs) / stable.started + 2)).toBeCloseTo(1, 2);
  });

  it("a burst: 54,000 calls wait when it ends, and the queue is empty 540 s later", () => {
    const burst = scenario(
      { servers: 10, service: { kind: "fixed", ms: 100 } },
      { load: { kind: "open", perSecond: 1_000, changes: [{ atSeconds: 60, perSecond: 0 }] } },
      { seconds: 620 },
    );
    const { queue } = runWith(burst);
    const binAt = (seconds: number): number => Math.round((1_000 * seconds) / BIN_MS) - 1;
    expect(queue[binAt(60)]).toBeGreaterThan(53_000);
    expect(queue[binAt(60)]).toBeLessThan(55_000);
    expect(queue[binAt(300)]).toBeCloseTo((queue[binAt(60)] as number) - 100 * 240, -2);
    const emptyAfter = queue.findIndex((waiting, bin) => bin > binAt(60) && waiting === 0);
    expect(((emptyAfter + 1) * BIN_MS) / 1_000 - 60).toBeGreaterThan(530);
    expect(((emptyAfter + 1) * BIN_MS) / 1_000 - 60).toBeLessThan(550);
  });
});

describe("the world agrees with the theory of queues, within its confidence interval (99 %, 16 seeds)", () => {
  it.each([
    [1, 0.7],
    [4, 0.9],
    [32, 0.95],
  ])("M/M/%i at a load of %f: how many calls wait, and for how long", (servers, load) => {
    const meanMs = 5 * servers;
    const world = scenario(
      { servers, service: { kind: "exponential", meanMs } },
      open((1_000 * servers * load) / meanMs),
      {
        seconds: 100,
      },
    );
    const waits = erlangC(servers, servers * load);
    const books = Array.from({ length: 16 }, (_, seed) => runWith(world, seed + 1));
    const waited = estimate(16, (seed) => {
      const book = books[seed - 1] as (typeof books)[number];
      return book.hadWaited / book.started;
    });
    const waitMs = estimate(16, (seed) => {
      const book = books[seed - 1] as (typeof books)[number];
      return book.waitMs / book.started;
    });
    expect(Math.abs(waited.mean - waits)).toBeLessThan(waited.within);
    expect(waited.within / waits).toBeLessThan(0.15);
    expect(Math.abs(waitMs.mean - (waits * meanMs) / (servers * (1 - load)))).toBeLessThan(waitMs.within);
  });

  it.each<[string, Service, number, number]>([
    ["fixed", { kind: "fixed", ms: 10 }, 10, 100],
    ["bimodal", { kind: "bimodal", fastMs: 5, slowMs: 55, slowShare: 0.1 }, 10, 0.9 * 25 + 0.1 * 3_025],
    ["lognormal", { kind: "lognormal", medianMs: 10 * Math.exp(-0.125), spread: 0.5 }, 10, 100 * Math.exp(0.25)],
  ])("M/G/1 with %s service: Pollaczek and Khinchine's mean wait", (_, service, meanMs, meanSquare) => {
    const load = 0.7;
    const perMs = load / meanMs;
    const world = scenario({ servers: 1, service }, open(1_000 * perMs), { seconds: 190 });
    const { mean, within } = estimate(16, (seed) => {
      const book = runWith(world, seed);
      return book.waitMs / book.started;
    });
    const theory = (perMs * meanSquare) / (2 * (1 - load));
    expect(Math.abs(mean - theory)).toBeLessThan(within);
    expect(within / theory).toBeLessThan(0.1);
  });

  it("a closed load: 20 users at one server are M/M/1//20", () => {
    const users = 20;
    const meanMs = 10;
    const thinkMs = 300;
    // The machine repair model: the part of the time in which nobody is at the server.
    let sum = 0;
    let term = 1;
    for (let n = 0; n <= users; n++) {
      sum += term;
      term *= ((users - n) * meanMs) / thinkMs;
    }
    const world = scenario(
      { servers: 1, service: { kind: "exponential", meanMs } },
      { roundTripMs: 0, load: { kind: "closed", users, thinkMs } },
    );
    const { mean, within } = estimate(16, (seed) => runWith(world, seed).running.mean);
    expect(Math.abs(mean - (1 - 1 / sum))).toBeLessThan(within);
  });
});
