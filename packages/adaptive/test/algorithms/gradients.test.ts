import { describe, expect, test } from "vitest";
import { bbr, envoyGradient, gradient2, vegas } from "../../src/index.ts";
import { after, callee, seen } from "./windows.ts";

const random = () => 0.5;

describe("Gradient2", () => {
  test("L = L (1 - s) + s (L g + q): with latency at its average it grows by a fifth of the queue of 4", () => {
    const algorithm = gradient2();
    expect(algorithm.next(algorithm.start(), seen(), random).limit).toBeCloseTo(20.8, 10);
  });

  test("latency at three times its average halves what it aims at", () => {
    const algorithm = gradient2();
    const state = { limit: 100, longMs: 50, windows: 1_000 };
    const next = algorithm.next(state, seen({ meanMs: 150, maxInflight: 100 }), random);
    const longMs = 50 + (2 / 601) * 100;
    expect(next.limit).toBeCloseTo(100 * 0.8 + 0.2 * (100 * ((1.5 * longMs) / 150) + 4), 10);
  });

  test("constant timeouts do not drive it up", () => {
    const algorithm = gradient2();
    expect(
      after(algorithm, algorithm.start(), 30, () => ({ samples: 0, meanMs: Number.NaN, overloads: 10 })).limit,
    ).toBe(1);
  });

  test("an average that is twice the latency comes down by a twentieth at a time", () => {
    const algorithm = gradient2();
    const next = algorithm.next({ limit: 20, longMs: 500, windows: 1_000 }, seen({ meanMs: 50 }), random);
    expect(next.longMs).toBeCloseTo((500 - (2 / 601) * 450) * 0.95, 10);
  });
});

describe("Envoy's gradient", () => {
  test("it measures 50 calls at a limit of 3, and then follows 1.25 minimum / median, between a half and twice, plus the root", () => {
    const algorithm = envoyGradient();
    const start = algorithm.start();
    expect([start.limit, algorithm.window(start).minSamples]).toEqual([3, 50]);
    const measured = algorithm.next(start, seen({ endMs: 1_000, medianMs: 40 }), random);
    expect([measured.limit, measured.minMs, measured.probeAtMs]).toEqual([20, 40, 1_000 + 60_000 * 1.075]);
    const same = algorithm.next(measured, seen({ medianMs: 40 }), random);
    expect(same.limit).toBe(Math.floor(25 + Math.sqrt(25)));
    const slow = algorithm.next(measured, seen({ medianMs: 400 }), random);
    expect(slow.limit).toBe(Math.floor(10 + Math.sqrt(10)));
  });

  test("a due measurement first waits until what is in flight has come down, and gives the old limit back", () => {
    const algorithm = envoyGradient();
    let state = algorithm.next(algorithm.start(), seen({ medianMs: 40 }), random);
    state = algorithm.next(state, seen({ endMs: 70_000 }), random);
    expect([state.limit, state.draining]).toEqual([3, true]);
    state = algorithm.next(state, seen({ maxInflight: 12, medianMs: 500 }), random);
    state = algorithm.next(state, seen({ maxInflight: 3, medianMs: 300 }), random);
    expect([state.limit, state.minMs]).toEqual([3, 40]);
    state = algorithm.next(state, seen({ maxInflight: 3, medianMs: 45 }), random);
    expect([state.limit, state.minMs]).toEqual([20, 45]);
  });
});

describe("Vegas", () => {
  test("the queue is L (1 - no load / latency): the limit grows below one, stays below six, and shrinks above", () => {
    const algorithm = vegas();
    const state = { limit: 50, meansMs: Array(50).fill(100), untilProbe: 1e6 };
    const limitAt = (meanMs: number) => algorithm.next(state, seen({ meanMs, maxInflight: 50 }), random).limit;
    expect(limitAt(100)).toBe(56);
    expect(limitAt(103)).toBe(51);
    expect(limitAt(110)).toBe(50);
    expect(limitAt(120)).toBe(49);
  });

  test("one lucky window does not crush it: the latency without load is a low quantile, not the minimum", () => {
    const algorithm = vegas();
    const calm = { limit: 50, meansMs: Array(50).fill(100), untilProbe: 1e6 };
    const lucky = algorithm.next(calm, seen({ meanMs: 1, maxInflight: 50 }), random);
    const later = after(algorithm, lucky, 10, () => ({ meanMs: 100 }));
    expect(later.limit).toBeGreaterThan(50);
  });
});

describe("BBR", () => {
  test("startup doubles until no more is answered, then it drains, and then it stays near what fills the callee", () => {
    const algorithm = bbr();
    const phases: string[] = [];
    let state = algorithm.start();
    for (let i = 0; i < 40; i++) {
      state = after(algorithm, state, 1, callee(32, 50), 100 * i);
      if (phases[phases.length - 1] !== state.phase) phases.push(state.phase);
    }
    expect(phases.slice(0, 3)).toEqual(["startup", "drain", "bandwidth"]);
    expect(state.limit).toBeGreaterThan(24);
    expect(state.limit).toBeLessThan(50);
  });

  test("a round trip that is believed no longer is measured again with little in flight", () => {
    const algorithm = bbr({ believe: "1s" });
    const limits: number[] = [];
    let state = algorithm.start();
    for (let i = 0; i < 60; i++) {
      state = after(algorithm, state, 1, callee(32, 50), 100 * i);
      if (state.phase === "round-trip") limits.push(state.limit);
    }
    expect(new Set(limits)).toEqual(new Set([4]));
    expect(state.roundTripMs).toBeCloseTo(50, 5);
  });
});
