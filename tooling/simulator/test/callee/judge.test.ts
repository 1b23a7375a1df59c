import { describe, expect, it } from "vitest";
import { BIN_MS, idealOf, jain, judge } from "../../src/callee/index.ts";
import { settleSeconds } from "../../src/callee/judge.ts";
import { atMost, open, runWith, scenario } from "./support.ts";

const CALLEE = { servers: 10, service: { kind: "exponential", meanMs: 20 } } as const;

describe("the ideal", () => {
  it("is what comes, or what the servers can do, whichever is less", () => {
    const waves = scenario(CALLEE, { load: { kind: "open", perSecond: 500, wave: { periodSeconds: 100, part: 0.5 } } });
    const { offered, capacity, goodput } = idealOf(waves);
    expect(capacity[0]).toBeCloseTo(500, 5);
    expect(offered[250]).toBeCloseTo(750, 0);
    expect(goodput[250]).toBeCloseTo(500, 0);
    expect(offered[750]).toBeCloseTo(250, 0);
    expect(goodput[750]).toBeCloseTo(250, 0);
  });

  it("leaves out calls that fail by themselves, and calls that take longer than a client waits", () => {
    const failing = idealOf(scenario({ ...CALLEE, failures: 0.4 }, open(100)));
    expect(failing.goodput[0]).toBeCloseTo(60, 5);
    const impatient = idealOf(scenario(CALLEE, open(1_000), { timeoutMs: 22 }));
    expect((impatient.goodput[0] as number) / 500).toBeCloseTo(1 - Math.exp(-1), 3);
  });

  it("knows latency without load: 2 ms of network and the 99th percentile of the service", () => {
    const slower = [{ atSeconds: 50, slower: 3 }];
    const { noLoadP99Ms } = idealOf(scenario({ ...CALLEE, changes: slower }, open(100)));
    expect(noLoadP99Ms[0]).toBeCloseTo(2 + 20 * Math.log(100), 0);
    expect((noLoadP99Ms[999] as number) / (2 + 60 * Math.log(100))).toBeCloseTo(1, 2);
  });
});

describe("the verdict", () => {
  it("is 1 all over for a limiter that knows the callee", () => {
    const world = scenario(CALLEE, open(1_000), { seconds: 180 });
    const verdict = judge(
      world,
      idealOf(world),
      runWith(world, 3, () => atMost(14)),
    );
    expect(verdict.goodput).toBeCloseTo(1, 1);
    expect(verdict.p99).toBeGreaterThan(0.98);
    expect(verdict.p99).toBeLessThan(1.2);
    expect(verdict).toMatchObject({ settleSeconds: 0, jain: 1, timeouts: 0, refused: 0 });
  });

  it("does not hold it against a limiter that the callee got slower", () => {
    const changes = [{ atSeconds: 30, slower: 5 }];
    const world = scenario({ ...CALLEE, changes }, open(50));
    expect(judge(world, idealOf(world), runWith(world)).p99).toBeCloseTo(1, 0);
  });

  it("tells goodput in the measured time from goodput after it", () => {
    const changes = [{ atSeconds: 50, refusals: 1 }];
    const measured = { fromSeconds: 10, toSeconds: 50 };
    const world = scenario({ ...CALLEE, changes }, open(100), { seconds: 100, measured });
    // Refused by everybody means that nothing could be had.
    const { goodput, afterwards } = judge(
      world,
      { ...idealOf(world), goodput: new Float64Array(1_000).fill(100) },
      runWith(world),
    );
    expect(goodput).toBeCloseTo(1, 1);
    expect(afterwards).toBeLessThan(0.01);
  });

  it("has no latency where nothing succeeded", () => {
    const world = scenario({ ...CALLEE, failures: 1 }, open(100), { seconds: 20 });
    expect(judge(world, idealOf(world), runWith(world)).p99).toBeNaN();
  });

  it("settles when three seconds go by with 95 % of the ideal, and else at the end", () => {
    const world = scenario(CALLEE, open(1_000), { seconds: 40 });
    const ideal = { ...idealOf(world), stepSeconds: [0, 20] };
    const book = runWith(world, 1, () => atMost(20));
    const idleFrom = (from: number, to: number): void => {
      book.work.fill(0, (1_000 * from) / BIN_MS, (1_000 * to) / BIN_MS);
      book.answered.fill(0, (1_000 * from) / BIN_MS, (1_000 * to) / BIN_MS);
    };
    expect(settleSeconds(ideal, book, 40)).toBe(0);
    idleFrom(20, 25);
    // Of the first three seconds it accepts, 5 % may be missing.
    expect(settleSeconds(ideal, book, 40)).toBeCloseTo(4.9, 1);
    idleFrom(20, 39);
    expect(settleSeconds(ideal, book, 40)).toBe(20);
  });

  it("is fair by Jain's index: 1 when all have the same, 1/n when one has everything", () => {
    expect(jain(Float64Array.of(5, 5, 5, 5))).toBe(1);
    expect(jain(Float64Array.of(1, 0, 0, 0))).toBe(0.25);
    expect(jain(Float64Array.of(3, 1))).toBeCloseTo(0.8);
  });
});
