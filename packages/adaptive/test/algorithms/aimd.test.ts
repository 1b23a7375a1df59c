import { VirtualRuntime } from "@dt/core/testing";
import { expect, test } from "vitest";
import { aimd, createConcurrencyLimit, type Slot } from "../../src/index.ts";
import { after, seen } from "./windows.ts";

const seedOptions = { initial: 10, increase: 10, decrease: 0.5 } as const;

test("the walk-through of the design: 10, 20, 30, then 15 and 7.5 under load, then 17.5", () => {
  const algorithm = aimd(seedOptions);
  let state = algorithm.start();
  const limits = [state.limit];
  for (const overloads of [0, 0, 1, 1, 0]) {
    // What was in flight before a cut comes back first; once it is down to the limit, windows count again.
    state = algorithm.next(
      { ...state, drain: algorithm.start().drain },
      seen({ overloads, maxInflight: state.limit }),
      Math.random,
    );
    limits.push(state.limit);
  }
  expect(limits).toEqual([10, 20, 30, 15, 7.5, 17.5]);
});

test("after a cut from 30 to 15 nothing more is sent until what is pending has come down to 15, and what comes back meanwhile changes nothing", async () => {
  const runtime = new VirtualRuntime();
  const limit = createConcurrencyLimit({ algorithm: aimd({ ...seedOptions, initial: 30 }), runtime, maxLag: 1 });
  const slots = Array.from({ length: 30 }, () => limit.tryAcquire() as Slot);
  await runtime.advance(200);
  for (const slot of slots.slice(0, 9)) slot.success();
  slots[9]?.overload();
  expect([limit.limit, limit.inflight]).toEqual([15, 20]);
  // Long enough for each answer to close a window.
  for (const slot of slots.slice(10, 15)) {
    await runtime.advance(1_000);
    expect(limit.tryAcquire()).toBeUndefined();
    slot.overload();
  }
  expect([limit.limit, limit.inflight]).toEqual([15, 15]);
  expect(limit.tryAcquire()).toBeUndefined();
  slots[15]?.success();
  expect(limit.tryAcquire()).toBeDefined();
});

test("one call that is larger than the limit cannot hold it for ever", () => {
  const algorithm = aimd({ initial: 20 });
  const cut = algorithm.next(algorithm.start(), seen({ overloads: 5 }), Math.random);
  expect(after(algorithm, cut, 20, () => ({ maxInflight: 100 })).limit).toBe(18);
  expect(after(algorithm, cut, 21, () => ({ maxInflight: 100 })).limit).toBe(19);
});

test("a slow window counts as overload, and a limit that is not half used does not grow", () => {
  const algorithm = aimd({ slow: "1s" });
  const state = algorithm.start();
  expect(algorithm.next(state, seen({ p90Ms: 1_001 }), Math.random).limit).toBe(18);
  expect(algorithm.next(state, seen({ maxInflight: 9 }), Math.random).limit).toBe(20);
  expect(algorithm.next(state, seen({ maxInflight: 10 }), Math.random).limit).toBe(21);
});

test("calls that succeed never cut, however long they take, unless the user says what is slow", () => {
  const algorithm = aimd();
  const limits = [1, 6_000, 60_000, 600_000].map(
    (ms) => algorithm.next(algorithm.start(), seen({ meanMs: ms }), Math.random).limit,
  );
  expect(limits).toEqual([21, 21, 21, 21]);
});

test("after a cut, what was let through before it is waited for in latencies: calls of a minute are cut for once", () => {
  const algorithm = aimd({ initial: 100 });
  const known = { ...algorithm.start(), drain: { windows: 0, untilMs: 0, latencyMs: 60_000 } };
  const cut = algorithm.next(known, seen({ overloads: 5, meanMs: 60_000 }), Math.random);
  // Two windows a second, and still more in flight than the limit: for two latencies, not for 20 windows.
  const late = after(algorithm, cut, 1_000, () => ({ overloads: 1, maxInflight: 95, meanMs: 60_000 }), 1_000);
  expect([cut.limit, late.limit]).toEqual([90, 90]);
});
