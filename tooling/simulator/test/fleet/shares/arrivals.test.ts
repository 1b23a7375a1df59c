import { describe, expect, it } from "vitest";
import { arrivalsOf, spread } from "../../../src/fleet/shares/arrivals.ts";
import { demandNamed } from "../../../src/fleet/shares/cell.ts";
import { DEMANDS } from "../../../src/fleet/shares/demands.ts";
import { Random } from "../../../src/random.ts";

const MINUTE_MS = 60_000;

/** Requests of all members a second, of the fleet's limit. */
function load(name: string, members: number, untilMs = MINUTE_MS): number {
  const demand = demandNamed(name);
  const requests = arrivalsOf(demand, members, untilMs, 1).reduce((sum, times) => sum + times.length, 0);
  return requests / (untilMs / 1_000) / demand.max(members);
}

describe("requests", () => {
  it("come evenly at a steady rate", () => {
    const times = spread(() => 4, "even", 10_000, new Random(1));
    expect(times).toHaveLength(40);
    for (const [index, atMs] of times.slice(1).entries()) expect(atMs - (times[index] as number)).toBeCloseTo(250);
  });

  it("come by chance as those of a Poisson process: as many in the mean, and as much more or less", () => {
    const times = spread(() => 10, "poisson", 1_000_000, new Random(1));
    const counts = Array.from({ length: 1_000 }, () => 0);
    for (const atMs of times) counts[Math.floor(atMs / 1_000)] = (counts[Math.floor(atMs / 1_000)] as number) + 1;
    const mean = times.length / 1_000;
    const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / 1_000;
    expect(mean).toBeCloseTo(10, 0);
    expect(variance / mean).toBeGreaterThan(0.85);
    expect(variance / mean).toBeLessThan(1.15);
  });

  it.each(DEMANDS.map(({ name }) => name))("of %s rise, end in time, and are the same for the same seed", (name) => {
    const demand = demandNamed(name);
    const arrivals = arrivalsOf(demand, 3, 5_000, 7);
    expect(arrivalsOf(demand, 3, 5_000, 7)).toEqual(arrivals);
    for (const times of arrivals) {
      expect([...times].sort((a, b) => a - b)).toEqual(times);
      expect(times.every((atMs) => atMs >= 0 && atMs < 5_000)).toBe(true);
    }
  });

  it("are another's with another seed", () => {
    const demand = demandNamed("poisson-90");
    expect(arrivalsOf(demand, 2, 5_000, 1)).not.toEqual(arrivalsOf(demand, 2, 5_000, 2));
  });
});

describe("what the members of a fleet want", () => {
  it.each([
    ["one-busy", 1.5],
    ["zipf-70", 0.7],
    ["zipf-150", 1.5],
    ["saturated", 1.5],
    ["few-tokens", 4],
  ])("of %s is %f times the limit", (name, times) => {
    for (const members of [4, 100]) expect(load(name, members)).toBeCloseTo(times, 1);
  });

  it.each([
    ["poisson-50", 0.5],
    ["poisson-120", 1.2],
    ["on-off-2", 0.84],
    ["diurnal-60", 0.95],
  ])("of %s is about %f times the limit", (name, times) => {
    const found = load(name, 300);
    expect(found).toBeGreaterThan(times * 0.95);
    expect(found).toBeLessThan(times * 1.05);
  });

  it("of Zipf's law is half of the first's for the second, and a tenth for the tenth", () => {
    const counts = arrivalsOf(demandNamed("zipf-150"), 10, MINUTE_MS, 1).map((times) => times.length);
    expect((counts[1] as number) / (counts[0] as number)).toBeCloseTo(0.5, 1);
    expect((counts[9] as number) / (counts[0] as number)).toBeCloseTo(0.1, 1);
  });

  it("of one that is on and off is all or nothing", () => {
    const [times = []] = arrivalsOf(demandNamed("on-off-10"), 1, 600_000, 3);
    const gaps = times.slice(1).map((atMs, index) => atMs - (times[index] as number));
    const idle = gaps.filter((gapMs) => gapMs > 100);
    // A pause every ten seconds or so, of 3.5 to 10.5 s; in between 28 requests a second.
    expect(idle.length).toBeGreaterThan(50);
    expect(idle.length).toBeLessThan(70);
    expect(Math.min(...idle)).toBeGreaterThan(3_400);
    expect(gaps.filter((gapMs) => gapMs <= 100).every((gapMs) => gapMs < 60)).toBe(true);
  });

  it("over a day is nothing at night, and most at noon", () => {
    const [times = []] = arrivalsOf(demandNamed("diurnal-600"), 1, 600_000, 1);
    const within = (from: number, until: number): number =>
      times.filter((atMs) => atMs >= from * 1_000 && atMs < until * 1_000).length;
    // The first member's noon is at 0 and at 600 s, its night at 300 s.
    expect(within(0, 20) / 20).toBeGreaterThan(23);
    expect(within(290, 310)).toBeLessThan(3);
    expect(within(580, 600) / 20).toBeGreaterThan(23);
  });
});
