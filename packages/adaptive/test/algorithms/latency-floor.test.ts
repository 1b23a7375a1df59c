import { describe, expect, test } from "vitest";
import { automatic } from "../../src/index.ts";
import { after, callee, seen } from "./windows.ts";

const random = () => 0.5;

/** A callee whose fastest of twelve calls takes half as long as a call does on average, as with lognormal times. */
const varied = (serviceMs: number) => callee(32, serviceMs, serviceMs / 2);

describe("a callee that takes ten times as long", () => {
  test("is no queue where its calls vary ten times as much: the limit stays", () => {
    const algorithm = automatic();
    const found = after(algorithm, algorithm.start(), 100, varied(50));
    let lowest = found.limit;
    let state = found;
    for (let i = 0; i < 100; i++) {
      state = after(algorithm, state, 1, varied(500), 10_000 + 1_000 * i);
      lowest = Math.min(lowest, state.limit);
    }
    expect(lowest).toBeGreaterThan(28);
  });

  test("is not held at the knee of the fast one", () => {
    const algorithm = automatic();
    const known = after(algorithm, algorithm.start(), 100, varied(50));
    const slow = { samples: 200, successCost: 200, minMs: 250, meanMs: 500 };
    const below = { ...known, limit: 24, knee: { ...known.knee, limit: 12, rate: 0.24 } };
    const state = algorithm.next(below, seen({ ...slow, startMs: 20_000, endMs: 24_000 }), random);
    expect(state.knee).toMatchObject({ limit: 24, rate: 0.05, stayUntilMs: known.knee.stayUntilMs });
    expect(state.limit).toBeGreaterThan(24);
  });
});

test("a queue lifts all calls alike, and is seen however much they vary", () => {
  const algorithm = automatic();
  const found = after(algorithm, algorithm.start(), 300, varied(50));
  expect(found.limit).toBeGreaterThan(32);
  expect(found.limit).toBeLessThan(56);
});
