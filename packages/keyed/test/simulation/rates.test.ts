import { describe, expect, it } from "vitest";
import { Load, type Offered, refusedByOneBucket } from "../support/load.ts";

const LINK = { latencyMs: 0.4, jitterMs: 1 };
const WARM_MS = 10_000;

/** Units a second once the burst is spent. */
function rateOf(load: Load, key: string): number {
  const late = load.of(key).calls.filter(({ atMs }) => atMs > WARM_MS);
  return (1_000 * late.reduce((sum, { cost }) => sum + cost, 0)) / (load.runtime.now() - WARM_MS);
}

async function offer(offered: Offered, options = {}): Promise<Load> {
  const load = new Load(options, 3, LINK);
  await load.run([offered], 110_000);
  return load;
}

const PLACES = [
  { place: "at one process", process: 0 },
  { place: "spread over three", process: undefined },
] as const;

describe.each(PLACES)("a key of 5/s whose calls come $place", ({ process }) => {
  const at = process === undefined ? {} : { process };

  it.each(["even", "random"] as const)("gets all of it where four times as much is offered (%s)", async (spacing) => {
    const load = await offer({ key: "k", ...at, perSecond: 20, spacing });
    expect(rateOf(load, "k")).toBeGreaterThan(4.95);
    expect(rateOf(load, "k")).toBeLessThan(5.05);
    // Sticky 1.7 requests a second, spread 5, of 20 decisions.
    expect(load.sum("requests") / load.sum("decisions")).toBeLessThan(process === undefined ? 0.3 : 0.12);
  });

  it("is never refused where less is offered", async () => {
    const load = await offer({ key: "k", ...at, perSecond: 4, spacing: "even" });
    expect(load.of("k").refused).toBe(0);
    expect(load.of("k").calls.length).toBeGreaterThan(430);
  });

  it("is refused hardly more at random times than by one bucket for all", async () => {
    const load = await offer({ key: "k", ...at, perSecond: 4, spacing: "random" });
    const { offered, refused } = load.of("k");
    expect(refused).toBeLessThan(refusedByOneBucket(offered, 5, 10) + 0.03 * offered.length);
  });
});

describe("a key of 100/s with a burst of 20, whose calls are spread over three processes", () => {
  it.each([
    [40, 40],
    [95, 95],
    [300, 100],
  ])("of %d/s gets %d/s", async (perSecond, expected) => {
    const load = await offer({ key: "k", perSecond, spacing: "even" }, { limit: { rate: "100/s", burst: 20 } });
    expect(rateOf(load, "k")).toBeGreaterThan(0.99 * expected);
    expect(load.sum("requests") / load.sum("decisions")).toBeLessThan(0.45);
  });
});

it("a noisy key does not slow down the others", async () => {
  const others = Array.from({ length: 50 }, (_, n): Offered => ({ key: `k${n}`, perSecond: 1, spacing: "random" }));
  const noisy: Offered = { key: "noisy", perSecond: 1_000, spacing: "random" };
  const p99: number[] = [];
  for (const offered of [others, [...others, noisy]]) {
    const load = new Load({}, 3, LINK);
    await load.run(offered, 30_000);
    const took = others.flatMap(({ key }) => load.of(key).tookMs).toSorted((a, b) => a - b);
    p99.push(took[Math.floor(took.length * 0.99)] as number);
    expect(others.every(({ key }) => load.of(key).refused === 0)).toBe(true);
  }
  expect(p99[1]).toBeLessThan(1.1 * (p99[0] as number));
});

it("10,000 keys, of which few have most of the calls, cost fewer requests than decisions", async () => {
  const load = new Load({}, 3, LINK);
  // Zipf: the key of rank n has 1/n of the calls of the first.
  const keys = 10_000;
  const sum = Array.from({ length: keys }, (_, n) => 1 / (n + 1)).reduce((a, b) => a + b);
  const zipf = Array.from({ length: keys }, (_, n): Offered => {
    return { key: `k${n}`, perSecond: 300 / (n + 1) / sum, spacing: "random" };
  });
  const hot: Offered[] = [
    { key: "sticky", process: 0, perSecond: 20, spacing: "random" },
    { key: "spread", perSecond: 20, spacing: "random" },
  ];
  await load.run([...zipf, ...hot], 30_000);
  for (const { key } of hot) expect(rateOf(load, key)).toBeGreaterThan(4.85);
  // Measured: 0.79 requests for each decision.
  expect(load.sum("requests")).toBeLessThan(load.sum("decisions"));
  expect(load.sum("roundTrips")).toBeLessThan(load.sum("requests"));
  expect(load.sum("keys")).toBeLessThan(3_000);
  // Nothing is kept of keys that are idle, and nothing is sent.
  await load.runtime.advance(5_000);
  expect(load.sum("keys")).toBe(0);
  const requests = load.sum("requests");
  await load.runtime.advance(60_000);
  expect(load.sum("requests")).toBe(requests);
  expect(load.runtime.pendingTimers).toBe(0);
});
