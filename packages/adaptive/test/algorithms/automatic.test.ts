import { expect, test } from "vitest";
import { automatic, queueWait } from "../../src/index.ts";
import { after, callee, seen } from "./windows.ts";

const random = () => 0.5;

test("with reports the limit follows the wait: a quarter more, then a step, then a cut in proportion", () => {
  const algorithm = queueWait();
  const start = algorithm.start();
  const grown = algorithm.next(start, seen({ reports: 60, queueWaitMs: 0 }), random);
  expect(grown.limit).toBe(25);
  // Latencies from 10 ms up, of 60 ms on average of which 10 are waiting: 0.25 * (60 - 10 - 10) are aimed at.
  const at = { reports: 60, minMs: 10 };
  const stepping = algorithm.next({ ...start, slowStart: false }, seen({ ...at, meanMs: 60, queueWaitMs: 10 }), random);
  expect(stepping.limit).toBeCloseTo(20 + 100 / 150, 10);
  const cut = algorithm.next(start, seen({ ...at, meanMs: 90, queueWaitMs: 40 }), random);
  expect(cut.limit).toBeCloseTo(20 * (1 - (0.5 * (40 - 10)) / 40), 10);
});

test("who is 60 ms away aims at no more than who is near", () => {
  const algorithm = queueWait();
  const cutAt = (far: number) =>
    algorithm.next(algorithm.start(), seen({ reports: 60, minMs: 2 + far, meanMs: 92 + far, queueWaitMs: 40 }), random);
  expect(cutAt(60).limit).toBeCloseTo(cutAt(0).limit, 10);
});

test("without reports queue-wait leaves the limit alone, except under overload", () => {
  const algorithm = queueWait();
  expect(algorithm.next(algorithm.start(), seen(), random).limit).toBe(20);
  expect(algorithm.next(algorithm.start(), seen({ overloads: 9 }), random).limit).toBe(16);
});

test("two timeouts among many calls are no overload, three among a hundred are", () => {
  const algorithm = queueWait();
  const state = { ...algorithm.start(), slowStart: false };
  const few = algorithm.next(state, seen({ samples: 10, overloads: 2 }), random);
  expect(few.limit).toBe(20);
  expect(algorithm.next(few, seen({ samples: 100, overloads: 1 }), random).limit).toBe(16);
});

test("after a cut nothing is concluded until its effect is seen: first what is in flight comes down, then one latency passes", () => {
  const algorithm = automatic();
  const wait = { reports: 60, queueWaitMs: 900, meanMs: 1_000, minMs: 950 };
  const cut = algorithm.next(algorithm.start(), seen(wait), random);
  expect(cut.limit).toBeLessThan(12);
  const draining = algorithm.next(cut, seen({ ...wait, startMs: 100, maxInflight: 20 }), random);
  const drained = algorithm.next(draining, seen({ ...wait, startMs: 200, maxInflight: 8 }), random);
  const held = algorithm.next(drained, seen({ ...wait, startMs: 1_100, maxInflight: 8 }), random);
  expect([draining.limit, drained.limit, held.limit]).toEqual([cut.limit, cut.limit, cut.limit]);
  expect(algorithm.next(held, seen({ ...wait, startMs: 1_200, maxInflight: 8 }), random).limit).toBeLessThan(cut.limit);
});

test("without reports it finds the servers of a callee whose calls vary: the fastest calls tell the wait", () => {
  const algorithm = automatic();
  const found = after(algorithm, algorithm.start(), 100, callee(32, 50, 45));
  expect(found.limit).toBeGreaterThan(32);
  expect(found.limit).toBeLessThan(48);
});

test("a callee that takes ten times as long keeps its limit, when its fastest calls are still fast", () => {
  const algorithm = automatic();
  const found = after(algorithm, algorithm.start(), 100, callee(32, 50, 45));
  let lowest = found.limit;
  let state = found;
  for (let i = 0; i < 100; i++) {
    state = after(algorithm, state, 1, callee(32, 500, 490), 10_000 + 1_000 * i);
    lowest = Math.min(lowest, state.limit);
  }
  expect(lowest).toBeGreaterThan(30);
});

test("a callee whose calls all take ten times as long looks like a queue at first; stepping back tells that it is none", () => {
  const algorithm = automatic();
  const found = after(algorithm, algorithm.start(), 100, callee(32, 50));
  let lowest = found.limit;
  let state = found;
  for (let i = 0; i < 200; i++) {
    state = after(algorithm, state, 1, callee(32, 500), 10_000 + 1_000 * i);
    lowest = Math.min(lowest, state.limit);
  }
  expect(lowest).toBeGreaterThan(8);
  expect(state.limit).toBeGreaterThan(28);
});

test("a single lucky call is no new base", () => {
  const algorithm = automatic();
  const found = after(algorithm, algorithm.start(), 100, callee(32, 50));
  const lucky = algorithm.next(found, seen({ startMs: 10_000, minMs: 0.2, maxInflight: found.limit }), random);
  expect(lucky.floor.baseMs).toBe(found.floor.baseMs);
});

test("a callee that shows no queue, since it works on everything at once, is kept near the point from which on more brings nothing", () => {
  const algorithm = automatic({ max: 10_000 });
  const shared = callee(32, 50);
  const state = after(algorithm, algorithm.start(), 300, (before) => ({ ...shared(before), minMs: 1 }));
  expect(state.limit).toBeGreaterThan(32);
  expect(state.limit).toBeLessThan(96);
});

test("a report that always says zero does not lift the limit for ever either", () => {
  const algorithm = automatic({ max: 10_000 });
  const shared = callee(32, 50);
  const state = after(algorithm, algorithm.start(), 300, (before) => ({
    ...shared(before),
    reports: 60,
    queueWaitMs: 0,
  }));
  expect(state.limit).toBeLessThan(96);
});
