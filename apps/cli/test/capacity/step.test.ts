import { describe, expect, test } from "vitest";
import { holds, type SeenCall, summarise } from "../../src/capacity/step.ts";

const OBJECTIVE = { quantile: 0.9, withinMs: 100, mayLose: 0.01 };

/** Calls every 10 ms for a second, each of them so long. */
const calls = (lastsMs: (index: number) => number, ok: (index: number) => boolean = () => true): SeenCall[] =>
  Array.from({ length: 100 }, (_, index) => ({
    dueMs: 10 * index,
    sentMs: 10 * index,
    endedMs: 10 * index + lastsMs(index),
    ok: ok(index),
  }));

describe("a step", () => {
  test("counts as Little's law says: in flight is throughput times time", () => {
    const step = summarise(
      100,
      calls(() => 50),
      1_000,
      OBJECTIVE,
      undefined,
    );
    expect(step).toMatchObject({
      calls: 80,
      offered: 100,
      throughput: 100,
      meanMs: 50,
      inflight: 5,
      lost: 0,
      p99Ms: 50,
    });
    expect(holds(step, OBJECTIVE)).toBe(true);
  });

  test("does not hold when more calls are late than may be", () => {
    const step = summarise(
      100,
      calls((index) => (index % 9 === 0 ? 200 : 50)),
      1_000,
      OBJECTIVE,
      undefined,
    );
    expect(step).toMatchObject({ p50Ms: 50, quantileMs: 200 });
    expect(holds(step, OBJECTIVE)).toBe(false);
  });

  test("does not hold when calls are lost, however quick the others are", () => {
    const step = summarise(
      100,
      calls(
        () => 1,
        (index) => index % 50 !== 0,
      ),
      1_000,
      OBJECTIVE,
      undefined,
    );
    expect(step.lost).toBeCloseTo(0.0125);
    expect(holds(step, OBJECTIVE)).toBe(false);
  });

  test("leaves out the beginning, when connections are made", () => {
    const step = summarise(
      100,
      calls((index) => (index < 20 ? 5_000 : 50)),
      1_000,
      OBJECTIVE,
      undefined,
    );
    expect(step.p99Ms).toBe(50);
    expect(holds(step, OBJECTIVE)).toBe(true);
  });

  test("says how late calls were sent", () => {
    const late = calls(() => 50).map((call) => ({ ...call, dueMs: call.sentMs - 70 }));
    expect(summarise(100, late, 1_000, OBJECTIVE, undefined).lateMs).toBe(70);
  });
});
