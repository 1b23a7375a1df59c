import { expect, test } from "vitest";
import { automatic, bbr, queueWait } from "../../src/index.ts";
import { seen } from "./windows.ts";

test("BBR doubles its limit in startup for as long as that brings more answers", () => {
  const algorithm = bbr({ initial: 20 });
  let state = algorithm.start();
  const limits: number[] = [];
  for (const successCost of [40, 80, 160]) {
    state = algorithm.next(state, seen({ successCost, maxInflight: state.limit }), () => 0.5);
    limits.push(state.limit);
  }
  expect(limits).toEqual([40, 80, 160]);
});

test("BBR measures the round trip in fifty calls, once what was in flight has come back", () => {
  const algorithm = bbr();
  const probing = {
    ...algorithm.start(),
    phase: "round-trip",
    limit: 4,
    count: 0,
    roundTripMs: 50,
    roundTripAtMs: 0,
  } as const;
  expect(algorithm.window(probing)).toMatchObject({ minSamples: 1 });
  const stillDraining = algorithm.next(probing, seen({ maxInflight: 30 }), () => 0.5);
  expect(stillDraining).toMatchObject({ count: 0, roundTripMs: 50 });
  const drained = algorithm.next(probing, seen({ maxInflight: 4 }), () => 0.5);
  expect(algorithm.window(drained)).toMatchObject({ minSamples: 50 });
  expect(algorithm.next(drained, seen({ maxInflight: 4, meanMs: 30 }), () => 0.5)).toMatchObject({
    phase: "bandwidth",
    roundTripMs: 30,
  });
});

test.each([
  ["automatic", automatic()],
  ["queue-wait", queueWait()],
])("a limit that nobody met was not tested, so %s leaves it where it is", (_, algorithm) => {
  const calm = { reports: 60, queueWaitMs: 0, maxInflight: 3 };
  const state = algorithm.start() as never;
  expect(algorithm.next(state, seen({ ...calm, limited: false }), () => 0.5).limit).toBe(20);
  expect(algorithm.next(state, seen({ ...calm, limited: true }), () => 0.5).limit).toBe(25);
});
