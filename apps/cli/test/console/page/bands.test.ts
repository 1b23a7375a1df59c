import { describe, expect, test } from "vitest";
import { BandHistory, COLOURS, withoutOthers } from "../../../src/console/page/bands.ts";
import type { Frame, LimiterFrame } from "../../../src/console/protocol.ts";
import { FakeFleet, SCENARIOS } from "../fixtures/scenario.ts";

function limiter(held: Readonly<Record<string, number>>, rest = 0, max = 100): LimiterFrame {
  return {
    kind: "throttle",
    name: "t",
    state: "ok",
    findings: [],
    limits: [{ name: "tokens", max, windowMs: 1_000, used: 0, utilization: 0, binds: false }],
    pausedForMs: 0,
    stored: false,
    members: {
      count: Object.keys(held).length + 1,
      shown: Object.entries(held).map(([id, value]) => ({ id, held: value, used: 0, waiting: 0, state: "active" })),
      rest: { count: 1, held: rest, used: 0, waiting: 0 },
    },
  };
}

function frame(second: number, limiters: readonly LimiterFrame[], error?: string): Frame {
  const common = { storeMs: null, state: "ok", verdict: "", more: 0, marks: [] } as const;
  return { ...common, atMs: second * 1_000, limiters, ...(error !== undefined && { error }) };
}

const history = () => new BandHistory("throttle", "t", 300);

describe("bands", () => {
  test("are on each other: an edge is the sum of what is below it", () => {
    const { times, bands, edges, capacity } = history().of([
      frame(1, [limiter({ a: 10, b: 20 }, 5)]),
      frame(2, [limiter({ a: 30, b: 1 }, 7, 200)]),
    ]);
    expect(times).toEqual([1, 2]);
    expect(bands.map(({ id }) => id)).toEqual(["a", "b", undefined]);
    expect(edges).toEqual([
      [10, 30],
      [30, 31],
      [35, 38],
    ]);
    expect(capacity).toEqual([100, 200]);
  });

  test("a member that comes later held nothing before, and one that goes nothing afterwards", () => {
    const { bands } = history().of([
      frame(1, [limiter({ a: 10 })]),
      frame(2, [limiter({ a: 10, b: 20 })]),
      frame(3, [limiter({ b: 30 })]),
    ]);
    expect(bands.slice(0, 2).map(({ held }) => held)).toEqual([
      [10, 10, 0],
      [0, 20, 30],
    ]);
  });

  test("have a gap where the store did not answer, or the limiter was not there or could not be read", () => {
    const broken = { ...limiter({ a: 9 }), error: { code: "DT_STORE_DATA", message: "damaged" } };
    const { edges, capacity } = history().of([
      frame(1, []),
      frame(2, [limiter({ a: 10 }, 1)]),
      frame(3, [limiter({ a: 10 }, 1)], "away"),
      frame(4, [broken]),
      frame(5, [limiter({ a: 12 }, 2)]),
    ]);
    expect(edges).toEqual([
      [null, 10, null, null, 12],
      [null, 11, null, null, 14],
    ]);
    expect(capacity).toEqual([null, 100, null, 100, 100]);
  });

  test("of the same frames are the same object", () => {
    const [bands, frames] = [history(), [frame(1, [limiter({ a: 1 })])]];
    expect(bands.of(frames)).toBe(bands.of(frames));
  });

  test("without the others have a scale of their own", () => {
    const { bands, edges, capacity } = withoutOthers(history().of([frame(1, [limiter({ a: 10 }, 900)])]));
    expect(bands.map(({ id }) => id)).toEqual(["a"]);
    expect(edges).toEqual([[10]]);
    expect(capacity).toEqual([null]);
  });
});

describe("colours", () => {
  test("stay with a member, and go to another once it is gone", () => {
    const bands = history();
    const colours = (frames: readonly Frame[]) =>
      Object.fromEntries(bands.of(frames).bands.map(({ id, colour }) => [id ?? "others", colour]));
    expect(colours([frame(1, [limiter({ a: 1, b: 1 })])])).toEqual({ a: 0, b: 1, others: COLOURS });
    expect(colours([frame(2, [limiter({ b: 1, c: 1 })])])).toEqual({ b: 1, c: 0, others: COLOURS });
  });

  test("differ for as many members as there are colours", () => {
    const held = Object.fromEntries(Array.from({ length: COLOURS }, (_, i) => [`m${i}`, 1]));
    const { bands } = history().of([frame(1, [limiter(held)])]);
    expect(new Set(bands.map(({ colour }) => colour)).size).toBe(COLOURS + 1);
  });
});

test("a fleet in which a process is killed: what it held is kept until it is removed, and then free", () => {
  const { frames } = new FakeFleet(SCENARIOS.kill, 0).hello(299, false);
  const { bands, edges } = new BandHistory("throttle", "payments", 300).of(frames);
  const killed = bands.find(({ id }) => id === "api-3-w0pa");
  expect(killed?.held.slice(155, 162)).toEqual([40, 40, 40, 40, 40, 0, 0]);
  expect(edges.at(-1)).toHaveLength(300);
});
